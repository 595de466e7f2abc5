// A line over time: its scale, its ticks, and its path.
import type { Unit } from "./measures";

/** One bucket: [from, to) in ms since 1970 UTC; null: nothing to measure, or still to come. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly value: number | null;
}

export interface Scale {
  readonly top: number;
  readonly ticks: readonly number[];
}

export interface Area {
  readonly width: number;
  readonly height: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Times that clocks know: a tick every 7 minutes would be none. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48].map((each) => each * HOUR),
];

/** Three or four even steps from 0 to at or above the highest value. */
export function scaleOf(values: readonly (number | null)[], unit: Unit): Scale {
  const highest = Math.max(0, ...values.map((each) => each ?? 0));
  const step = STEPS[unit](highest);
  const steps = Math.max(1, Math.ceil(highest / step - 1e-9));
  const ticks = Array.from({ length: steps + 1 }, (_, index) => tidy(index * step));
  return { top: ticks[steps]!, ticks };
}

const STEPS: Readonly<Record<Unit, (highest: number) => number>> = {
  count: (highest) => Math.max(1, roundStep(highest / 4)),
  share: (highest) => Math.min(0.25, Math.max(0.01, roundStep(highest / 4))),
  time: (highest) => TIME_STEPS.find((step) => step >= highest / 4) ?? roundStep(highest / 4),
};

/** 1, 2 or 5 times a power of ten, at or above. */
function roundStep(least: number): number {
  if (least <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least - 1e-12)!;
}

/** 0.1 + 0.2 is 0.3 on an axis. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** The middle of a bucket, of `buckets` equal ones. */
export function xOf(index: number, buckets: number, { width }: Area): number {
  return ((index + 0.5) / Math.max(1, buckets)) * width;
}

export function yOf(value: number, { top }: Scale, { height }: Area): number {
  return height - (top === 0 ? 0 : (value / top) * height);
}

/** The bucket under a point, of `buckets` equal ones. */
export function bucketAt(x: number, buckets: number, { width }: Area): number {
  return Math.min(Math.max(Math.floor((x / width) * buckets), 0), buckets - 1);
}

/** An SVG path through the values; it breaks where there is none. */
export function linePath(values: readonly (number | null)[], scale: Scale, area: Area): string {
  let isDrawing = false;
  const parts = values.map((value, index) => {
    if (value === null) return ((isDrawing = false), "");
    const command = isDrawing ? "L" : "M";
    isDrawing = true;
    return `${command}${short(xOf(index, values.length, area))} ${short(yOf(value, scale, area))}`;
  });
  return parts.join("");
}

/** The area under `linePath`, as far as it is one piece. */
export function areaPath(values: readonly (number | null)[], scale: Scale, area: Area): string {
  const known = values.flatMap((value, index) => (value === null ? [] : [index]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined || known.length !== last - first + 1) return "";
  const start = short(xOf(first, values.length, area));
  return `${linePath(values, scale, area)}V${area.height}H${start}Z`;
}

/** Which buckets to name below the axis: so many that each name has `room`, evenly spread. */
export function namedBuckets(buckets: number, { width }: Area, room: number): number[] {
  const most = Math.max(1, Math.floor(width / room));
  const every = Math.max(1, Math.ceil(buckets / most));
  return Array.from({ length: Math.ceil(buckets / every) }, (_, index) => index * every);
}

/** What is not over yet has no value of its own: the bucket is drawn as unfinished. */
export function isUnfinished(mark: Mark, now: number): boolean {
  return mark.to > now;
}

/** Buckets that have not begun have no value. */
export function begun(marks: readonly Mark[], now: number): (number | null)[] {
  return marks.map((mark) => (mark.from > now ? null : mark.value));
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}
