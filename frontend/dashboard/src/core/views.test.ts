import { expect, it } from "vitest";
import { parametersOf, viewLink } from "./views";

it("is a link to the page with its filters and its question", () => {
  const parameters = parametersOf("explore", "funnel?step=/a b", "country=DE");
  expect(parameters).toBe("?country=DE#/explore/funnel%3Fstep%3D%2Fa%20b");
  expect(viewLink({ view_id: "1", page: "explore", name: "", parameters })).toBe(`./${parameters}`);
});

it("holds nothing that is not set", () => {
  expect(parametersOf("history", "", "")).toBe("#/history");
});
