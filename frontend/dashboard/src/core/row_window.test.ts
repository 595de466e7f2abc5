import { expect, it } from "vitest";
import { isNearEnd, rowWindow } from "./row_window";

it("holds the rows in sight and a few around them", () => {
  expect(rowWindow(0, 400, 40, 1_000)).toEqual({ first: 0, after: 19, above: 0, below: 39_240 });
  const { first, after, above, below } = rowWindow(20_000, 400, 40, 1_000);
  expect([first, after]).toEqual([492, 519]);
  expect(above + (after - first) * 40 + below).toBe(40_000);
});

it("never leaves the table, even after it became shorter", () => {
  expect(rowWindow(20_000, 400, 40, 3)).toEqual({ first: 0, after: 3, above: 0, below: 0 });
  expect(rowWindow(0, 400, 40, 0)).toEqual({ first: 0, after: 0, above: 0, below: 0 });
  expect(rowWindow(-90, 400, 40, 2)).toEqual({ first: 0, after: 2, above: 0, below: 0 });
});

it("says when to ask for more", () => {
  expect(isNearEnd(rowWindow(0, 400, 40, 100), 100)).toBe(false);
  expect(isNearEnd(rowWindow(3_300, 400, 40, 100), 100)).toBe(true);
});
