// By what the history's tables group sessions: one dimension, or the combinations of two.
import type { FilterName } from "./filters";
import type { Measure, Metrics } from "./measures";

export const DIMENSIONS = [
  "path",
  "entry",
  "exit",
  "referrer_domain",
  "channel",
  "country",
  "region",
  "city",
  "browser",
  "os",
  "device",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "site",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** One dimension, or two different ones. */
export type Grouping = readonly [Dimension] | readonly [Dimension, Dimension];

/** A line of a table; a null value is unknown. */
export interface Group {
  readonly values: readonly (string | null)[];
  readonly metrics: Metrics;
  readonly previous: Metrics | null;
}

/** What `/stats/top` (`value`) and `/stats/breakdown` (`values`) answer. */
export interface Ranking {
  readonly items: readonly {
    readonly value?: string | null;
    readonly values?: readonly (string | null)[];
    readonly metrics: Metrics;
    readonly previous: Metrics | null;
  }[];
  readonly more: boolean;
}

export type TableOrder = Measure;

export function isDimension(text: string): text is Dimension {
  return DIMENSIONS.some((each) => each === text);
}

export function groupingText(grouping: Grouping): string {
  return grouping.join("+");
}

/** Null for what is no grouping. */
export function groupingFrom(text: string): Grouping | null {
  const [first, second, ...more] = text.split("+");
  if (!first || !isDimension(first) || more.length > 0) return null;
  if (second === undefined) return [first];
  return isDimension(second) && second !== first ? [first, second] : null;
}

export function groupsOf(ranking: Ranking): Group[] {
  return ranking.items.map(({ value = null, values = [value], metrics, previous }) => ({
    values,
    metrics,
    previous,
  }));
}

/** The filter that keeps only a value of the dimension; null where no filter is about it. */
export function filterOf(dimension: Dimension, names: readonly FilterName[]): FilterName | null {
  return names.find((name) => name === dimension) ?? null;
}

/** Groups in one of whose values all the words are, whatever their case. */
export function found(groups: readonly Group[], words: string, read: Reader): Group[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return groups.filter(({ values }) => {
    const text = values.map(read).join("\n").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** What is shown of the value at a place of the grouping. */
export type Reader = (value: string | null, place: number) => string;
