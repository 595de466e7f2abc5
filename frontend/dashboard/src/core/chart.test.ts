import { describe, expect, it } from "vitest";
import {
  areaPath,
  begun,
  bucketAt,
  isUnfinished,
  linePath,
  namedBuckets,
  scaleOf,
  xOf,
  yOf,
} from "./chart";

const AREA = { width: 100, height: 50 };

describe("a scale", () => {
  it.each([
    [[3, 4], "count", [0, 1, 2, 3, 4]],
    [[0, null], "count", [0, 1]],
    [[87], "count", [0, 50, 100]],
    [[1_234], "count", [0, 500, 1_000, 1_500]],
    [[0.31], "share", [0, 0.1, 0.2, 0.3, 0.4]],
    [[1], "share", [0, 0.25, 0.5, 0.75, 1]],
    [[95_000], "time", [0, 30_000, 60_000, 90_000, 120_000]],
    [[1_000_000], "time", [0, 300_000, 600_000, 900_000, 1_200_000]],
  ] as const)("of %j (%s) has the ticks %j", (values, unit, ticks) => {
    expect(scaleOf(values, unit)).toEqual({ top: ticks.at(-1), ticks });
  });

  it("always reaches the highest value", () => {
    for (let highest = 1; highest < 20_000; highest = Math.ceil(highest * 1.3)) {
      const { top, ticks } = scaleOf([highest], "count");
      expect(top).toBeGreaterThanOrEqual(highest);
      expect(ticks.length).toBeLessThanOrEqual(5);
    }
  });
});

describe("a place in the chart", () => {
  const scale = { top: 10, ticks: [0, 10] };

  it("is the middle of the bucket, and its value from below", () => {
    expect(xOf(0, 4, AREA)).toBe(12.5);
    expect(yOf(10, scale, AREA)).toBe(0);
    expect(yOf(0, scale, AREA)).toBe(50);
  });

  it("belongs to one bucket, even at the edges", () => {
    expect([-5, 0, 26, 99, 400].map((x) => bucketAt(x, 4, AREA))).toEqual([0, 0, 1, 3, 3]);
  });

  it("is on a line that breaks where nothing is known", () => {
    expect(linePath([0, 10, null, 5], scale, AREA)).toBe("M12.5 50L37.5 0M87.5 25");
  });

  it("has an area below only if it is in one piece", () => {
    expect(areaPath([0, 10, null, null], scale, AREA)).toBe("M12.5 50L37.5 0V50H12.5Z");
    expect(areaPath([0, null, 10, null], scale, AREA)).toBe("");
    expect(areaPath([null], scale, AREA)).toBe("");
  });
});

describe("names below the axis", () => {
  it("are as many as there is room for", () => {
    expect(namedBuckets(7, { width: 700, height: 1 }, 60)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(namedBuckets(7, { width: 300, height: 1 }, 60)).toEqual([0, 2, 4, 6]);
    expect(namedBuckets(24, { width: 10, height: 1 }, 60)).toEqual([0]);
  });
});

describe("what is not over", () => {
  const marks = [
    { from: 0, to: 10, value: 4 },
    { from: 10, to: 20, value: 2 },
    { from: 20, to: 30, value: 0 },
  ];

  it("is unfinished, and what has not begun has no value", () => {
    expect(begun(marks, 15)).toEqual([4, 2, null]);
    expect(marks.map((mark) => isUnfinished(mark, 15))).toEqual([false, true, true]);
  });
});
