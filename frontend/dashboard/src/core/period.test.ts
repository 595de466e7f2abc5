import { describe, expect, it } from "vitest";
import { daysOf, periodFrom, periodText, spanning } from "./period";

const NOW = Date.parse("2026-03-01T23:30:00Z");

describe("a period's days", () => {
  it.each([
    ["today", "UTC", "2026-03-01", "2026-03-01"],
    ["today", "Europe/Berlin", "2026-03-02", "2026-03-02"],
    ["yesterday", "UTC", "2026-02-28", "2026-02-28"],
    ["7d", "UTC", "2026-02-23", "2026-03-01"],
    ["30d", "America/New_York", "2026-01-31", "2026-03-01"],
  ] as const)("%s in %s", (period, zone, first, last) => {
    expect(daysOf(period, NOW, zone)).toEqual({ first, last });
  });

  it("stay where they were chosen", () => {
    const march = { first: "2026-03-01", last: "2026-03-31" };
    expect(daysOf(march, NOW, "UTC")).toEqual(march);
    expect(spanning("2026-03-31", "2026-03-01")).toEqual(march);
  });
});

describe("a period in the address", () => {
  it.each(["today", "30d", "2026-03-01..2026-03-07"])("%s is read as it is written", (text) => {
    expect(periodText(periodFrom(text)!)).toBe(text);
  });

  it("is in order, whichever day was given first", () => {
    expect(periodFrom("2026-03-07..2026-03-01")).toEqual({
      first: "2026-03-01",
      last: "2026-03-07",
    });
  });

  it.each(["", "400d", "2026-03-01", "2026-02-30..2026-03-01", "<script>..2026-03-01"])(
    "%j is none",
    (text) => expect(periodFrom(text)).toBeNull(),
  );
});
