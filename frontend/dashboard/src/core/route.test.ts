import { expect, test } from "vitest";
import { fragment, routeFrom, START, type Route } from "./route";

const ROUTES: readonly [string, Route][] = [
  ["", START],
  ["#/session/s%2F1", { page: "live", part: "", session: "s/1" }],
  ["#/history", { page: "history", part: "", session: null }],
  ["#/explore/funnel", { page: "explore", part: "funnel", session: null }],
  ["#/explore/funnel/session/s1", { page: "explore", part: "funnel", session: "s1" }],
  ["#/pipeline/session/s1", { page: "pipeline", part: "", session: "s1" }],
];

test.each(ROUTES)("%s is read and written", (hash, route) => {
  expect(routeFrom(hash)).toEqual(route);
  expect(fragment(route)).toBe(hash);
});

test.each(["#", "#/", "#/live", "#/nowhere", "#/nowhere/funnel"])("%s is the live page", (hash) => {
  expect(routeFrom(hash)).toEqual(START);
});

test("what is no escape stays as it is", () => {
  expect(routeFrom("#/session/100%").session).toBe("100%");
});
