import world from "virtual:world";
import { expect, it } from "vitest";
import { project } from "./projection";

it("the middle of the world is the middle of the map", () => {
  expect(project(0, 0)[0]).toBeCloseTo(world.width / 2, -1);
});

it.each([
  ["DE", 51, 10],
  ["BR", -10, -52],
  ["AU", -25, 134],
])("a spot in %s lies within the country's outline", (code, latitude, longitude) => {
  const outline = world.countries.find((country) => country.code === code)!;
  const [x, y] = project(latitude, longitude);
  const numbers = [...outline.path.matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)];
  const xs = numbers.map((pair) => Number(pair[1]));
  const ys = numbers.map((pair) => Number(pair[2]));
  expect(x).toBeGreaterThan(Math.min(...xs));
  expect(x).toBeLessThan(Math.max(...xs));
  expect(y).toBeGreaterThan(Math.min(...ys));
  expect(y).toBeLessThan(Math.max(...ys));
});

it("every country of the map that has a number has a code", () => {
  const codes = world.countries.map((country) => country.code);
  expect(codes).toContain("XK");
  expect(codes.filter((code) => code === null).length).toBeLessThan(4);
});
