// What the pipeline page is told (docs: /openapi.json), and what it makes of it.
import type { EnrichedEvent, InterceptorStats, Ledger } from "../contracts.gen";

export type Level = "ok" | "note" | "warning" | "problem";

export interface Finding {
  readonly check: string;
  readonly level: Level;
  readonly what: string;
  readonly todo: string;
}

export interface Partition {
  readonly topic: string;
  readonly partition: number;
  readonly buckets: number;
  readonly watermark: number;
  readonly told: number;
  readonly visitors: number;
  readonly requests: number;
}

export interface ReaderLag {
  readonly reader: string;
  readonly topic: string;
  readonly partition: number;
  readonly lag: number;
}

export interface BatchTaken {
  readonly time: number;
  readonly batch: number;
  readonly batch_ms: number;
  readonly rows: number;
}

export interface JobStatus {
  readonly instance: string;
  readonly epoch: number;
  readonly started: number;
  readonly batch: number;
  readonly rows: number;
  readonly batch_ms: number;
  readonly behind: number;
  readonly processed_time: number;
}

export interface ReasonCount {
  readonly reason: string;
  readonly count: number;
  readonly last_day: number;
}

export interface Pipeline {
  readonly now: number;
  readonly findings: readonly Finding[];
  readonly ledger: Ledger;
  readonly partitions: readonly Partition[];
  readonly readers: readonly ReaderLag[];
  readonly job: JobStatus | null;
  readonly batches: readonly BatchTaken[];
  readonly dead_letters: readonly ReasonCount[];
}

export interface Storage {
  readonly items: readonly {
    readonly kind: "history" | "state" | "topic";
    readonly name: string;
    readonly size: number | null;
    readonly detail: string;
  }[];
  readonly fault: string;
}

export interface DeadLetterItem {
  readonly id: string;
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly broker_time: number;
  readonly raw_size: number;
}

export interface RawRecord {
  readonly id: string;
  readonly source: "topic" | "history";
  readonly key: string | null;
  readonly text: string;
  readonly size: number;
}

export interface Replayed {
  readonly published: number;
  readonly refused: number;
  readonly reasons: readonly { readonly id: string; readonly why: string }[];
  readonly more: boolean;
  readonly detail: string;
}

export interface LateItem {
  readonly id: string;
  readonly late_ms: number;
  readonly placed: boolean;
  readonly broker_time: number;
  readonly event: EnrichedEvent;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** What needs somebody, and what works. */
export function split(findings: readonly Finding[]): [readonly Finding[], readonly Finding[]] {
  return [
    findings.filter((one) => one.level !== "ok"),
    findings.filter((one) => one.level === "ok"),
  ];
}

/** The last part of a topic's name, which is what it is for. */
export function role(topic: string): string {
  return topic.slice(topic.lastIndexOf(".") + 1);
}

/** A watermark of the end of time stands in topics that are read to their end. */
export function isAtEnd(watermark: number): boolean {
  return watermark >= 2 ** 52;
}

/** Before the first watermark record nothing is known. */
export function isUnknown(watermark: number): boolean {
  return watermark <= 0;
}

/** The middle and the largest; null without any. */
export function batchFigures(
  batches: readonly BatchTaken[],
): { median: number; longest: number } | null {
  if (batches.length === 0) return null;
  const times = batches.map((one) => one.batch_ms).sort((a, b) => a - b);
  return { median: times[Math.floor(times.length / 2)]!, longest: times[times.length - 1]! };
}

const SILENT_MS = 60_000;

/** How a site's process is: it speaks every few seconds, for as long as it runs. */
export function processState(one: InterceptorStats, now: number): "hearing" | "silent" | "unknown" {
  if (!one.told) return "unknown";
  return now - one.told > SILENT_MS ? "silent" : "hearing";
}

/** Counts by reason, the largest first: "3 queue full, 1 killed"; "0" without any. */
export function byReason(
  counts: Readonly<Record<string, number>>,
  count: (value: number) => string,
): string {
  const named = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return named.map(([reason, n]) => `${count(n)} ${reason.replaceAll("_", " ")}`).join(", ") || "0";
}

/** Bytes as people read them: 512 B, 3.4 MB. */
export function bytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = size;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A record's text for people: JSON with lines, anything else as it is. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The whole period that a backfill of these events needs: a day around each. ms since 1970. */
export function backfillPeriod(events: readonly LateItem[]): { from: number; to: number } | null {
  if (events.length === 0) return null;
  const times = events.map((one) => one.event.event_time);
  return { from: Math.min(...times) - DAY_MS, to: Math.max(...times) + DAY_MS };
}

const DAY_MS = 86_400_000;

export interface Backfill {
  readonly id: string;
  readonly begin: number;
  readonly end: number;
  readonly state: "waiting" | "running" | "done" | "failed";
  readonly output: string;
}

export interface Backfills {
  readonly runs_here: boolean;
  readonly items: readonly Backfill[];
}

/** For where nobody takes orders: what to run by hand. */
export function backfillCommand({ from, to }: { from: number; to: number }): string {
  return `./clickwake backfill --from ${written(from)} --to ${written(to)}`;
}

function written(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
