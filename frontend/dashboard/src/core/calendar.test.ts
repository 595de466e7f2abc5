import { describe, expect, it } from "vitest";
import {
  addDays,
  addMonths,
  dayAt,
  daysBetween,
  dayStart,
  instantsOf,
  isDay,
  isTimeZone,
  weekday,
  weeksOfMonth,
} from "./calendar";

const at = (text: string) => Date.parse(text);
const iso = (ms: number) => new Date(ms).toISOString().replace(":00.000Z", "Z");

describe("a day of a place", () => {
  it.each([
    ["2026-03-01", "UTC", "2026-03-01T00:00Z"],
    ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00Z"],
    ["2026-03-30", "Europe/Berlin", "2026-03-29T22:00Z"],
    ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00Z"],
    ["2026-10-26", "Europe/Berlin", "2026-10-25T23:00Z"],
    ["2026-03-01", "Asia/Kathmandu", "2026-02-28T18:15Z"],
    ["2026-03-01", "Pacific/Kiritimati", "2026-02-28T10:00Z"],
  ])("%s begins in %s at %s", (day, zone, start) => {
    expect(iso(dayStart(day, zone))).toBe(start);
  });

  it("begins with the change where that leaves midnight out", () => {
    // Cairo's clocks go from 23:59:59 to 01:00 on the last Friday of April.
    expect(iso(dayStart("2026-04-24", "Africa/Cairo"))).toBe("2026-04-23T22:00Z");
    expect(iso(dayStart("2026-04-25", "Africa/Cairo"))).toBe("2026-04-24T21:00Z");
  });

  it("begins at the second midnight where the clock goes back over it", () => {
    // Havana's clocks go back from 01:00 to 00:00: the date never leaves, so the first counts.
    expect(iso(dayStart("2026-11-01", "America/Havana"))).toBe("2026-11-01T04:00Z");
    // São Paulo's went back from midnight to 23:00 of the day before.
    expect(iso(dayStart("2018-02-18", "America/Sao_Paulo"))).toBe("2018-02-18T03:00Z");
    expect(dayAt(at("2018-02-18T02:30Z"), "America/Sao_Paulo")).toBe("2018-02-17");
  });

  it("has no length where the place left it out", () => {
    const { from, to } = instantsOf({ first: "2011-12-30", last: "2011-12-30" }, "Pacific/Apia");
    expect(iso(from)).toBe("2011-12-30T10:00Z");
    expect(to).toBe(from);
  });

  it("has 23 or 25 hours when the clocks change", () => {
    const hours = (day: string) => {
      const { from, to } = instantsOf({ first: day, last: day }, "Europe/Berlin");
      return (to - from) / 3_600_000;
    };
    expect(hours("2026-03-29")).toBe(23);
    expect(hours("2026-10-25")).toBe(25);
  });

  it("holds each instant but once", () => {
    for (const zone of ["Europe/Berlin", "America/Havana", "Africa/Cairo", "Asia/Kathmandu"]) {
      for (let day = "2026-01-01"; day < "2027-01-01"; day = addDays(day, 1)) {
        const start = dayStart(day, zone);
        expect([dayAt(start - 1, zone), dayAt(start, zone)]).toEqual([addDays(day, -1), day]);
      }
    }
  });
});

describe("dates", () => {
  it("are counted over months and leap years", () => {
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
    expect(daysBetween("2026-02-27", "2026-03-02")).toBe(3);
    expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
    expect(addMonths("2026-01-15", -1)).toBe("2025-12-15");
  });

  it("stand in whole weeks from Monday", () => {
    const weeks = weeksOfMonth("2026-03-17");
    expect(weeks).toHaveLength(6);
    expect(weeks[0]![0]).toBe("2026-02-23");
    expect(weeks[5]![6]).toBe("2026-04-05");
    expect(weekday("2026-03-01")).toBe(6);
  });

  it("are told from what is none", () => {
    expect(["2026-03-01", "2026-02-30", "2026-3-1", "", "1969-12-31"].map(isDay)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe("time zones", () => {
  it("are told from what is none", () => {
    expect(["Europe/Berlin", "UTC", "Nowhere/Else", ""].map(isTimeZone)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
