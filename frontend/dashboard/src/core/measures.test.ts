import { describe, expect, it } from "vitest";
import { byMeasure, change, isGoodNews, measured, valueOf, type Metrics } from "./measures";

const METRICS: Metrics = {
  visitors: 1_200,
  sessions: 1_500,
  views: 4_000,
  events: 9_000,
  bounce_rate: 0.314,
  duration_mean_ms: 200_000,
  duration_p50_ms: 90_000,
  duration_p90_ms: 600_000,
};

describe("a measure", () => {
  it.each([
    ["visitors", "1,200"],
    ["views", "4,000"],
    ["bounces", "31 %"],
    ["duration", "1 min 30 s"],
  ] as const)("%s reads %s", (measure, text) => {
    expect(measured(valueOf(METRICS, measure), measure)).toBe(text);
  });

  it("of nothing is a dash, not a zero", () => {
    expect(measured(null, "bounces")).toBe("–");
  });
});

describe("a change", () => {
  it("is a share of what was before", () => {
    expect(change(150, 100)).toBe(0.5);
    expect(change(0, 100)).toBe(-1);
  });

  it("from nothing is none", () => {
    expect(change(5, 0)).toBeNull();
    expect(change(null, 3)).toBeNull();
  });

  it("is good news when fewer leave at once, and when more come", () => {
    expect(isGoodNews("bounces", -0.1)).toBe(true);
    expect(isGoodNews("visitors", -0.1)).toBe(false);
    expect(isGoodNews("visitors", 0.001)).toBeNull();
  });
});

it("sorts the largest first, and what has no value last", () => {
  const groups = [0.2, null, 0.9].map((bounce_rate) => ({ metrics: { ...METRICS, bounce_rate } }));
  const rates = byMeasure(groups, "bounces").map(({ metrics }) => metrics.bounce_rate);
  expect(rates).toEqual([0.9, 0.2, null]);
});
