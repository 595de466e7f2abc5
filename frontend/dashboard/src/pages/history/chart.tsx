import { useState } from "preact/hooks";
import { Plot, PLOT_HEIGHT } from "./plot";
import { marksOf, valuesBefore, type Series } from "./series";
import { Share } from "./tiles";
import { useWidth } from "./use_width";
import { begun, namedBuckets, xOf } from "../../core/chart";
import { bucketName, bucketText } from "../../core/dates";
import { t } from "../../core/language";
import { change, measured, valueOf, type Measure } from "../../core/measures";

const NAME_ROOM = 64;
/** A name is not cut off at the chart's edges. */
const HALF_NAME = 22;

interface Props {
  readonly series: Series;
  readonly measure: Measure;
  readonly now: number;
  /** Numbers of the buckets that notes are pinned to. */
  readonly pinned: ReadonlySet<number>;
}

/**
 * One measure over the period, and over the one before. The arrows lead from point to point, and
 * a screen reader says each; the same stands in the table below.
 */
export function Chart({ series, measure, now, pinned }: Props) {
  const [frame, width] = useWidth(800);
  const [pointed, point] = useState<number | null>(null);
  const { points } = series.current;
  const values = begun(marksOf(points, measure), now);
  const last = Math.max(0, lastKnown(values));
  const at = pointed === null ? null : Math.min(pointed, points.length - 1);
  const before = valuesBefore(series, measure);
  return (
    <>
      <Reading series={series} measure={measure} index={at ?? last} isChosen={at !== null} />
      <div
        ref={frame}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={t().history.chart(t().history.measures[measure])}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, points.length - 1)}
        aria-valuenow={at ?? last}
        aria-valuetext={spoken(series, measure, at ?? last)}
        onBlur={() => point(null)}
        onKeyDown={(event) => {
          const next = step(event.key, at ?? last, points.length);
          if (next === undefined) return;
          event.preventDefault();
          point(next);
        }}
      >
        <Plot
          area={{ width, height: PLOT_HEIGHT }}
          values={values}
          before={before}
          measure={measure}
          unfinished={points.findIndex((mark) => mark.from <= now && mark.to > now)}
          pinned={pinned}
          pointed={at}
          onPoint={point}
        />
      </div>
      <Names series={series} width={width} />
    </>
  );
}

function step(key: string, at: number, points: number): number | undefined {
  const last = points - 1;
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: Math.max(0, at - 1),
    ArrowRight: Math.min(last, at + 1),
    Home: 0,
    End: last,
    PageUp: Math.max(0, at - 7),
    PageDown: Math.min(last, at + 7),
  };
  return steps[key];
}

function lastKnown(values: readonly (number | null)[]): number {
  return values.findLastIndex((value) => value !== null);
}

interface ReadingProps {
  readonly series: Series;
  readonly measure: Measure;
  readonly index: number;
  readonly isChosen: boolean;
}

/** What the point under the pointer says; without one, the last. */
function Reading({ series, measure, index, isChosen }: ReadingProps) {
  const { current, previous, interval } = series;
  const point = current.points[index];
  if (!point) return null;
  const before = previous?.points[index];
  const share = before && change(valueOf(point.metrics, measure), valueOf(before.metrics, measure));
  return (
    <p class={`reading ${isChosen ? "is-chosen" : ""}`}>
      <span class="reading-when">{bucketText(point.label, interval)}</span>
      <b>{measured(valueOf(point.metrics, measure), measure)}</b>
      {before && (
        <span>
          <i class="key key-before" /> {bucketText(before.label, interval)}:{" "}
          {measured(valueOf(before.metrics, measure), measure)}{" "}
          {share != null && <Share measure={measure} share={share} />}
        </span>
      )}
    </p>
  );
}

function spoken(series: Series, measure: Measure, index: number): string {
  const point = series.current.points[index];
  if (!point) return t().history.noSessions;
  const value = measured(valueOf(point.metrics, measure), measure);
  const text = `${bucketText(point.label, series.interval)}: ${value}`;
  const before = series.previous?.points[index];
  if (!before) return text;
  return `${text}. ${t().history.before(measured(valueOf(before.metrics, measure), measure))}`;
}

function Names({ series, width }: { readonly series: Series; readonly width: number }) {
  const { points } = series.current;
  const area = { width, height: PLOT_HEIGHT };
  return (
    <div class="plot-names" aria-hidden="true">
      {namedBuckets(points.length, area, NAME_ROOM).map((index) => (
        <span key={index} style={{ left: `${inside(xOf(index, points.length, area), width)}px` }}>
          {bucketName(points[index]!.label, series.interval)}
        </span>
      ))}
    </div>
  );
}

function inside(x: number, width: number): number {
  return Math.min(Math.max(HALF_NAME, x), width - HALF_NAME);
}
