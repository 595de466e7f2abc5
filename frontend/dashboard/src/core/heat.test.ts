import { describe, expect, it } from "vitest";
import type { Cohort } from "./explore_answers";
import { averages, laterIntervals, shade } from "./heat";

function cohort(visitors: number, ...came: [number, boolean][]): Cohort {
  const returned = came.map(([count, complete], number) => ({
    number,
    visitors: count,
    rate: count / visitors,
    complete,
  }));
  return { label: "2026-03-02", visitors, returned };
}

const GRID = [
  cohort(10, [10, true], [5, true], [1, false]),
  cohort(30, [30, true], [3, true]),
  cohort(7, [7, false]),
  cohort(0),
];

it("shades more for more", () => {
  expect([0, 0.01, 0.1, 0.11, 0.3, 0.42, 1].map(shade)).toEqual([0, 1, 1, 2, 3, 5, 5]);
});

describe("a retention grid", () => {
  it("has a column for each interval after the first", () => {
    expect(laterIntervals(GRID)).toEqual([1, 2]);
    expect(laterIntervals([])).toEqual([]);
  });

  it("averages what is over, by visitors", () => {
    expect(averages(GRID)).toEqual([
      { number: 1, rate: 0.2 },
      { number: 2, rate: null },
    ]);
  });
});
