import { expect, it } from "vitest";
import { NO_FILTERS } from "./filters";
import { EVERYTHING, isSame, narrowed } from "./subscription";

it("without filters everything is asked for", () => {
  expect(narrowed(NO_FILTERS)).toEqual(EVERYTHING);
});

it("the server leaves out what it can, and the page the rest", () => {
  const filters = {
    ...NO_FILTERS,
    country: ["DE", "!FR"],
    os: ["!Linux"],
    bots: ["exclude"],
    city: ["Berlin"],
  };
  expect(narrowed(filters)).toEqual({ ...EVERYTHING, country: ["DE"], bots: "exclude" });
});

it("more values than the server takes are left to the page", () => {
  const many = Array.from({ length: 51 }, (_, index) => `channel ${index}`);
  expect(isSame(narrowed({ ...NO_FILTERS, channel: many }), EVERYTHING)).toBe(true);
});
