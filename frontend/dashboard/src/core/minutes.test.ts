import { expect, it } from "vitest";
import { ceiling, lastHour } from "./minutes";
import { MINUTE, NOON } from "./session.fixture";

it("the last hour has sixty bars up to this minute, quiet ones as zeros", () => {
  const bars = lastHour(
    [
      { minute: NOON, pages: 4, api_calls: 1 },
      { minute: NOON - 60 * MINUTE, pages: 9, api_calls: 9 },
    ],
    NOON + 31_000,
  );
  expect(bars).toHaveLength(60);
  expect(bars[59]).toEqual({ minute: NOON, pages: 4, api_calls: 1 });
  expect(bars[0]).toEqual({ minute: NOON - 59 * MINUTE, pages: 0, api_calls: 0 });
});

it.each([
  [0, 5],
  [5, 5],
  [7, 8],
  [11, 15],
  [222, 300],
  [1_000, 1_000],
])("the axis for %d ends at %d", (highest, top) => {
  expect(ceiling(highest)).toBe(top);
});
