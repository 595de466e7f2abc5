// The periods that the history page shows, as whole days of a place.
import { addDays, dayAt, isDay, type Day, type Days } from "./calendar";

export const PRESETS = ["today", "yesterday", "7d", "30d"] as const;
export type Preset = (typeof PRESETS)[number];

/** A preset moves with the day; days stay. */
export type Period = Preset | Days;

export const START_PERIOD: Period = "7d";

const LENGTHS: Readonly<Record<Preset, number>> = { today: 1, yesterday: 1, "7d": 7, "30d": 30 };

export function isPreset(period: Period): period is Preset {
  return typeof period === "string";
}

/** The days that a period has when it is `now` in the zone. */
export function daysOf(period: Period, now: number, zone: string): Days {
  if (!isPreset(period)) return period;
  const today = dayAt(now, zone);
  const last = period === "yesterday" ? addDays(today, -1) : today;
  return { first: addDays(last, 1 - LENGTHS[period]), last };
}

/** The days between two, whichever comes first. */
export function spanning(one: Day, other: Day): Days {
  return one <= other ? { first: one, last: other } : { first: other, last: one };
}

/** `7d`, or `2026-03-01..2026-03-07`. */
export function periodText(period: Period): string {
  return isPreset(period) ? period : `${period.first}..${period.last}`;
}

/** Null for what is no period. */
export function periodFrom(text: string): Period | null {
  const preset = PRESETS.find((each) => each === text);
  if (preset) return preset;
  const [one = "", other = ""] = text.split("..");
  return isDay(one) && isDay(other) ? spanning(one, other) : null;
}
