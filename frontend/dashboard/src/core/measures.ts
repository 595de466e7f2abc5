// What the history counts. The API's metrics, and how each is read.
import { count, percent, span } from "./format";

/** As `/api/v1/stats/…` answers them: durations in ms, the rate from 0 to 1; null: no sessions. */
export interface Metrics {
  readonly visitors: number;
  readonly sessions: number;
  readonly views: number;
  readonly events: number;
  readonly bounce_rate: number | null;
  readonly duration_mean_ms: number | null;
  readonly duration_p50_ms: number | null;
  readonly duration_p90_ms: number | null;
}

export const MEASURES = ["visitors", "sessions", "views", "bounces", "duration"] as const;
export type Measure = (typeof MEASURES)[number];

export type Unit = "count" | "share" | "time";

export const UNITS: Readonly<Record<Measure, Unit>> = {
  visitors: "count",
  sessions: "count",
  views: "count",
  bounces: "share",
  duration: "time",
};

const FIELDS: Readonly<Record<Measure, keyof Metrics>> = {
  visitors: "visitors",
  sessions: "sessions",
  views: "views",
  bounces: "bounce_rate",
  duration: "duration_p50_ms",
};

/** Null where there is nothing to measure. */
export function valueOf(metrics: Metrics, measure: Measure): number | null {
  return metrics[FIELDS[measure]];
}

export function measured(value: number | null, measure: Measure): string {
  return value === null ? "–" : WRITTEN[UNITS[measure]](value);
}

const WRITTEN: Readonly<Record<Unit, (value: number) => string>> = {
  count,
  share: percent,
  time: span,
};

/** How much more than before, as a share of before; null without anything before. */
export function change(now: number | null, before: number | null): number | null {
  return now === null || before === null || before === 0 ? null : (now - before) / before;
}

/** Whether a growing value is good news; of some it is neither. */
export function isGoodNews(measure: Measure, change: number): boolean | null {
  if (Math.abs(change) < 0.005) return null;
  return measure === "bounces" ? change < 0 : change > 0;
}

/** The largest first, those without a value last; equal ones stay in their order. */
export function byMeasure<G extends { readonly metrics: Metrics }>(
  groups: readonly G[],
  measure: Measure,
): G[] {
  const value = ({ metrics }: G) => valueOf(metrics, measure) ?? -1;
  return [...groups].sort((one, other) => value(other) - value(one));
}
