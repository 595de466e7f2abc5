// The periods whose figures can be shown, and how the history is asked about each.
import type { Range } from "./model";

const HOUR_MS = 3_600_000;

export const RANGES: readonly Range[] = ["hour", "day", "today", "yesterday", "week"];

const ROLLING_MS: Partial<Record<Range, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS };
const PERIODS: Partial<Record<Range, string>> = {
  today: "today",
  yesterday: "yesterday",
  week: "last_7_days",
};

/** Whole days are those of a time zone; the last hours are the same everywhere. */
export function isCalendar(range: Range): boolean {
  return PERIODS[range] !== undefined;
}

/** The query's parameters. `now` is the server's clock, `timeZone` an IANA name. */
export function statsQuery(range: Range, now: number, timeZone: string): Record<string, string> {
  const period = PERIODS[range];
  if (period !== undefined) return { period, time_zone: timeZone };
  const from = now - (ROLLING_MS[range] ?? 24 * HOUR_MS);
  return { from: new Date(from).toISOString(), to: new Date(now).toISOString() };
}
