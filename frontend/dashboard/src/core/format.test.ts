import { afterEach, describe, expect, it } from "vitest";
import * as format from "./format";
import { speak } from "./language";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

it.each([
  [0, "0:00"],
  [-500, "0:00"],
  [7_900, "0:07"],
  [12 * MINUTE + 30 * SECOND, "12:30"],
  [HOUR + 2 * MINUTE + 3 * SECOND, "1:02:03"],
  [2 * DAY + 3 * HOUR, "2 d 3:00:00"],
])("a stopwatch shows %d ms as %s", (ms, text) => {
  expect(format.stopwatch(ms)).toBe(text);
});

it.each([
  [7_900, "7 s"],
  [MINUTE, "1 min"],
  [12 * MINUTE + 30 * SECOND, "12 min 30 s"],
  [HOUR + 2 * MINUTE + 40 * SECOND, "1 h 2 min"],
  [DAY + HOUR, "1 d 1 h"],
])("%d ms are a span of %s", (ms, text) => {
  expect(format.span(ms)).toBe(text);
});

it.each([
  [-4_000, "now"],
  [2_999, "now"],
  [3_000, "3 s"],
  [61_000, "1 min"],
  [3 * HOUR, "3 h"],
  [1_234 * DAY, "1,234 d"],
])("%d ms ago is %s", (ms, text) => {
  expect(format.ago(ms)).toBe(text);
});

it.each([
  [621, "0.62 s"],
  [998, "1.0 s"],
  [4_130, "4.1 s"],
  [75_000, "75 s"],
  [700_000, "11 min 40 s"],
])("a delay of %d ms reads %s", (ms, text) => {
  expect(format.delay(ms)).toBe(text);
});

it.each([
  [0, "0 %"],
  [0.043, "4.3 %"],
  [0.312, "31 %"],
  [1, "100 %"],
])("a share of %d is %s", (share, text) => {
  expect(format.percent(share)).toBe(text);
});

describe("places and names", () => {
  it("countries have their English names, odd codes are shown as they are", () => {
    expect(format.countryName("DE")).toBe("Germany");
    expect(format.countryName(null)).toBe("Unknown place");
    expect(format.countryName("unknown")).toBe("Unknown place");
    expect(format.countryName("not a code")).toBe("not a code");
  });

  it("channels are titles, products keep their spelling", () => {
    expect(format.title("paid_search")).toBe("Paid search");
    expect(format.named("iOS")).toBe("iOS");
    expect(format.named("unknown")).toBe("Unknown");
  });

  it("one is singular", () => {
    expect(format.plural(1, "person", "people")).toBe("1 person");
    expect(format.plural(1_200, "person", "people")).toBe("1,200 people");
  });
});

describe("times", () => {
  const noon = Date.UTC(2026, 2, 1, 12, 0, 5);

  it("are read in UTC when asked", () => {
    expect(format.clockTime(noon, "utc")).toBe("12:00:05");
    expect(format.hourMinute(noon, "utc")).toBe("12:00");
    expect(format.dateTime(noon, "utc")).toBe("1 Mar 2026, 12:00:05");
  });

  it("of another time zone; an unknown zone has none", () => {
    expect(format.timeIn("Asia/Tokyo", noon)).toBe("21:00");
    expect(format.timeIn("Moon/Crater", noon)).toBeNull();
  });
});

describe("in German", () => {
  afterEach(() => speak("en"));

  it.each([
    [() => format.count(1_234_567), "1.234.567"],
    [() => format.percent(0.043), "4,3 %"],
    [() => format.delay(621), "0,62 s"],
    [() => format.span(26 * HOUR), "1 T. 2 h"],
    [() => format.ago(0), "jetzt"],
    [() => format.countryName("DE"), "Deutschland"],
    [() => format.countryName(null), "Unbekannter Ort"],
    [() => format.title("search"), "Suche"],
    [() => format.dateTime(Date.UTC(2026, 2, 1, 12, 0, 5), "utc"), "01.03.2026, 12:00:05"],
  ])("%s gives %s", (say, text) => {
    speak("de");
    expect(say()).toBe(text);
  });
});

it("a word that happens to be a name in JavaScript stays a word", () => {
  expect(format.title("constructor")).toBe("Constructor");
});
