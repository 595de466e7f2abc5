import { describe, expect, it } from "vitest";
import { FILTER_NAMES } from "./filters";
import { filterOf, found, groupingFrom, groupingText, groupsOf } from "./groupings";
import type { Metrics } from "./measures";

const METRICS: Metrics = {
  visitors: 2,
  sessions: 3,
  views: 4,
  events: 5,
  bounce_rate: null,
  duration_mean_ms: null,
  duration_p50_ms: null,
  duration_p90_ms: null,
};

describe("a grouping in the address", () => {
  it.each(["path", "country+device"])("%s is read as it is written", (text) => {
    expect(groupingText(groupingFrom(text)!)).toBe(text);
  });

  it.each(["", "colour", "path+path", "path+colour", "path+entry+exit"])("%j is none", (text) => {
    expect(groupingFrom(text)).toBeNull();
  });
});

describe("groups", () => {
  const one = { metrics: METRICS, previous: null };

  it("are the same of one dimension and of two", () => {
    const top = { items: [{ value: null, ...one }], more: false };
    const breakdown = { items: [{ values: ["FR", null], ...one }], more: false };
    expect(groupsOf(top)[0]!.values).toEqual([null]);
    expect(groupsOf(breakdown)[0]!.values).toEqual(["FR", null]);
  });

  it("are found by what is shown of them", () => {
    const groups = [
      { values: ["FR", "mobile"], ...one },
      { values: ["DE", "desktop"], ...one },
    ];
    const read = (value: string | null) => (value === "FR" ? "France" : (value ?? "?"));
    expect(found(groups, "  FRANCE mob ", read).map(({ values }) => values[0])).toEqual(["FR"]);
    expect(found(groups, "france desktop", read)).toEqual([]);
    expect(found(groups, "", read)).toHaveLength(2);
  });

  it("lead to the filter of their dimension, if there is one", () => {
    expect(filterOf("country", FILTER_NAMES)).toBe("country");
    expect(filterOf("utm_term", [])).toBeNull();
  });
});
