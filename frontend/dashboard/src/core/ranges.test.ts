import { describe, expect, it } from "vitest";
import { timeZone } from "./format";
import { isCalendar, RANGES, statsQuery } from "./ranges";
import { t } from "./language";
import { NOON } from "./session.fixture";

describe("the figures' period", () => {
  it("of the last hours ends now, whatever the zone", () => {
    expect(statsQuery("hour", NOON, "Asia/Tokyo")).toEqual({
      from: "2026-03-01T11:00:00.000Z",
      to: "2026-03-01T12:00:00.000Z",
    });
    expect(statsQuery("day", NOON, "UTC").from).toBe("2026-02-28T12:00:00.000Z");
  });

  it.each([
    ["today", "today"],
    ["yesterday", "yesterday"],
    ["week", "last_7_days"],
  ] as const)("%s is whole days of the reader's zone", (range, period) => {
    expect(isCalendar(range)).toBe(true);
    expect(statsQuery(range, NOON, "Europe/Berlin")).toEqual({
      period,
      time_zone: "Europe/Berlin",
    });
  });

  it("has a name each", () => {
    expect(new Set(RANGES.map((range) => t().live.ranges[range].short)).size).toBe(5);
  });
});

it("the zone is the browser's own, or UTC where times are shown in UTC", () => {
  expect(timeZone("utc")).toBe("UTC");
  expect(timeZone("local")).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
});
