import type { Mark } from "../../core/chart";
import type { Interval } from "../../core/dates";
import { valueOf, type Measure, type Metrics } from "../../core/measures";

export interface Point {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly metrics: Metrics;
}

export interface RangeSeries {
  readonly from: number;
  readonly to: number;
  readonly total: Metrics;
  readonly points: readonly Point[];
}

/** The answer of `/api/v1/stats/timeseries`. */
export interface Series {
  readonly time_zone: string;
  readonly interval: Interval;
  readonly current: RangeSeries;
  readonly previous: RangeSeries | null;
}

export function marksOf(points: readonly Point[], measure: Measure): Mark[] {
  return points.map(({ from, to, metrics }) => ({ from, to, value: valueOf(metrics, measure) }));
}

/** The values that the n-th buckets had before; null where there was none. */
export function valuesBefore(series: Series, measure: Measure): (number | null)[] | null {
  const { current, previous } = series;
  if (previous === null) return null;
  return current.points.map((_, index) => {
    const point = previous.points[index];
    return point ? valueOf(point.metrics, measure) : null;
  });
}
