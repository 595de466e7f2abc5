import { expect, it } from "vitest";
import { pinnedBuckets, type Annotation } from "./annotations";

const on = (day: string): Annotation => ({
  annotation_id: day,
  day,
  site_id: null,
  text: "New shop",
  author: "",
  created: 0,
});

it("stands in the bucket that its day is in", () => {
  const weeks = ["2026-02-23", "2026-03-02", "2026-03-09"];
  expect(pinnedBuckets([on("2026-03-02"), on("2026-03-08")], weeks)).toEqual([1, 1]);
  expect(pinnedBuckets([on("2026-03-31")], ["2026-03", "2026-04"])).toEqual([0]);
});

it("stands at the first hour of its day", () => {
  const hours = ["2026-03-01T23:00:00Z", "2026-03-02T00:00:00Z", "2026-03-02T01:00:00Z"];
  expect(pinnedBuckets([on("2026-03-02")], hours)).toEqual([1]);
});

it("stands nowhere before the chart begins", () => {
  expect(pinnedBuckets([on("2026-02-22")], ["2026-02-23"])).toEqual([-1]);
});
