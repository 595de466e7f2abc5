import { expect, it } from "vitest";
import { rendered, windowOf } from "./slice";

const ids = Array.from({ length: 100 }, (_, index) => `s${index}`);
const indices = (rows: ReturnType<typeof rendered>) => rows.map((row) => row.index);

it("only the rows near the screen are drawn", () => {
  expect(indices(rendered(ids, 10, 3, null))).toEqual([10, 11, 12]);
  expect(indices(rendered(ids, 98, 30, null))).toEqual([98, 99]);
});

it("the row in focus is drawn wherever it stands", () => {
  expect(indices(rendered(ids, 10, 2, "s3"))).toEqual([3, 10, 11]);
  expect(indices(rendered(ids, 10, 2, "s90"))).toEqual([10, 11, 90]);
  expect(indices(rendered(ids, 10, 2, "s11"))).toEqual([10, 11]);
  expect(indices(rendered(ids, 10, 2, "gone"))).toEqual([10, 11]);
});

it("the window begins where the screen does, with some rows to spare", () => {
  expect(windowOf(-300, 900, 50, 2)).toEqual({ first: 0, count: 14 });
  expect(windowOf(1_000, 900, 50, 2)).toEqual({ first: 18, count: 22 });
  expect(windowOf(-2_000, 900, 50, 2)).toEqual({ first: 0, count: 12 });
});
