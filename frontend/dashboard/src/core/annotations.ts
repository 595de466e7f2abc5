// Notes that people pinned to days, and where they stand in a chart.
import type { Day } from "./calendar";
import { dayOfLabel } from "./dates";

/** As `/api/v1/annotations` has it. */
export interface Annotation {
  readonly annotation_id: string;
  readonly day: Day;
  readonly site_id: string | null;
  readonly text: string;
  readonly author: string;
  readonly created: number;
}

/** Of each note the number of the bucket that its day is in; buckets by their labels, in order. */
export function pinnedBuckets(notes: readonly Annotation[], labels: readonly string[]): number[] {
  const days = labels.map(dayOfLabel);
  return notes.map(({ day }) => {
    const same = days.indexOf(day);
    return same >= 0 ? same : days.findLastIndex((first) => first <= day);
  });
}
