import { describe, expect, it } from "vitest";
import { neighbour, pinsAt, withPins } from "./order";

describe("a pinned row", () => {
  it("stays at its index while others pass it", () => {
    expect(withPins(["a", "b", "c", "d"], [{ id: "d", index: 1 }])).toEqual(["a", "d", "b", "c"]);
  });

  it("stays at its index when it would rise to the top", () => {
    expect(withPins(["d", "a", "b", "c"], [{ id: "d", index: 3 }])).toEqual(["a", "b", "c", "d"]);
  });

  it("comes last when there are too few rows", () => {
    expect(withPins(["a", "b"], [{ id: "a", index: 7 }])).toEqual(["b", "a"]);
  });

  it("that is gone holds no place", () => {
    expect(withPins(["a", "b"], [{ id: "z", index: 0 }])).toEqual(["a", "b"]);
  });

  it("leaves another pinned row in its place too", () => {
    const pins = [
      { id: "e", index: 3 },
      { id: "d", index: 1 },
    ];
    expect(withPins(["e", "d", "a", "b", "c"], pins)).toEqual(["a", "d", "b", "e", "c"]);
  });
});

it("pins what is pointed at and what has the focus, once each", () => {
  expect(pinsAt(["a", "b"], ["b", "b", null, "z"])).toEqual([{ id: "b", index: 1 }]);
});

describe("the neighbour", () => {
  it.each([
    { current: null, step: 1 as const, found: "a" },
    { current: "gone", step: 1 as const, found: "a" },
    { current: "a", step: 1 as const, found: "b" },
    { current: "c", step: 1 as const, found: "c" },
    { current: "a", step: -1 as const, found: "a" },
    { current: "c", step: -1 as const, found: "b" },
  ])("of $current by $step is $found", ({ current, step, found }) => {
    expect(neighbour(["a", "b", "c"], current, step)).toBe(found);
  });

  it("in an empty list is nobody", () => {
    expect(neighbour([], null, 1)).toBeNull();
  });
});
