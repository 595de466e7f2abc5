// The last hour as sixty bars.
import type { MinuteCount } from "../contracts.gen";

export const MINUTE_MS = 60_000;
export const MINUTES_SHOWN = 60;

/** Every minute of the hour that ends with `now`'s, oldest first, quiet ones as zeros. */
export function lastHour(minutes: readonly MinuteCount[], now: number): MinuteCount[] {
  const known = new Map(minutes.map((each) => [each.minute, each]));
  const current = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  return Array.from({ length: MINUTES_SHOWN }, (_, index) => {
    const minute = current - (MINUTES_SHOWN - 1 - index) * MINUTE_MS;
    return known.get(minute) ?? { minute, pages: 0, api_calls: 0 };
  });
}

/** A round number at or above the highest bar, for the axis: 5, 6, 8, 10, 15, 20, 30 … */
export function ceiling(highest: number): number {
  if (highest <= 5) return 5;
  const power = 10 ** Math.floor(Math.log10(highest));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((top) => top >= highest)!;
}
