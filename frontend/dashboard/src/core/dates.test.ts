import { afterEach, describe, expect, it } from "vitest";
import { bucketName, bucketText, dayOfLabel, daysIn, daysText, weekdays } from "./dates";
import { speak } from "./language";

afterEach(() => speak("en"));

describe("a bucket", () => {
  it.each([
    ["2026-03-03", "day", "Tue, 3 Mar 2026", "3 Mar"],
    ["2026-03-02", "week", "Mon, 2 Mar 2026", "2 Mar"],
    ["2026-03", "month", "March 2026", "Mar 26"],
    ["2026-03-29T14:00:00+02:00", "hour", "29 Mar, 14:00", "14:00"],
    ["2026-03-29T00:00:00+01:00", "hour", "29 Mar, 00:00", "29 Mar"],
  ] as const)("%s reads as the place's clock has it", (label, interval, text, name) => {
    expect(bucketText(label, interval)).toBe(text);
    expect(bucketName(label, interval)).toBe(name);
  });

  it("begins on a day", () => {
    const labels = ["2026-03", "2026-03-02", "2026-03-29T14:00:00+02:00"];
    expect(labels.map(dayOfLabel)).toEqual(["2026-03-01", "2026-03-02", "2026-03-29"]);
  });
});

describe("days", () => {
  it("read as one, or from the first to the last", () => {
    expect(daysText({ first: "2026-03-01", last: "2026-03-01" })).toBe("Sun, 1 Mar 2026");
    expect(daysText({ first: "2026-02-23", last: "2026-03-01" })).toMatch(/23 Feb.+1 Mar 2026/);
  });

  it("are in the reader's language", () => {
    speak("de");
    expect(bucketText("2026-03-03", "day")).toBe("Di., 3. März 2026");
    expect(weekdays().map(({ short }) => short)).toEqual([
      "Mo",
      "Di",
      "Mi",
      "Do",
      "Fr",
      "Sa",
      "So",
    ]);
  });

  it("are those that instants touch", () => {
    const [from, to] = ["2026-02-28T23:00:00Z", "2026-03-01T23:00:00Z"].map(Date.parse);
    expect(daysIn(from!, to!, "Europe/Berlin")).toEqual({
      first: "2026-03-01",
      last: "2026-03-01",
    });
  });
});
