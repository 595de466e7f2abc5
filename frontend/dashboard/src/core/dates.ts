// Days and buckets of time as people read them, in the language that the page speaks.
import { dayAt, type Day, type Days } from "./calendar";
import { language } from "./language";

export type Interval = "minute" | "hour" | "day" | "week" | "month";

const LOCALES = { en: "en-GB", de: "de-DE" } as const;
const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
const WHOLE_DAY: Intl.DateTimeFormatOptions = { ...DAY, weekday: "short", year: "numeric" };
const MONTH: Intl.DateTimeFormatOptions = { month: "long", year: "numeric" };
const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Dates are in no time zone, so they are written as if they were in UTC. */
function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language()}/${JSON.stringify(options)}`;
  let known = formatters.get(key);
  if (!known) {
    known = new Intl.DateTimeFormat(LOCALES[language()], { ...options, timeZone: "UTC" });
    formatters.set(key, known);
  }
  return known;
}

function instant(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** Tue, 3 Mar 2026. */
export function dayText(day: Day): string {
  return formatter(WHOLE_DAY).format(instant(day));
}

/** March 2026. */
export function monthText(day: Day): string {
  return formatter(MONTH).format(instant(day));
}

/** Mo, Tu, …: the names of the weekdays from Monday, as short as the language has them. */
export function weekdays(): { readonly short: string; readonly long: string }[] {
  const monday = instant("2024-01-01");
  return Array.from({ length: 7 }, (_, index) => {
    const day = monday + index * 86_400_000;
    return {
      short: formatter({ weekday: "short" }).format(day).slice(0, 2),
      long: formatter({ weekday: "long" }).format(day),
    };
  });
}

/** 23 Feb – 1 Mar 2026, or the one day. */
export function daysText({ first, last }: Days): string {
  if (first === last) return dayText(first);
  return formatter({ ...DAY, year: "numeric" }).formatRange(instant(first), instant(last));
}

/** The days that instants touch, in the zone. */
export function daysIn(from: number, to: number, zone: string): Days {
  return { first: dayAt(from, zone), last: dayAt(Math.max(from, to - 1), zone) };
}

/** What a bucket is called in a sentence; `label` is as the statistics have it. */
export function bucketText(label: string, interval: Interval): string {
  switch (interval) {
    case "month":
      return monthText(`${label}-01`);
    case "day":
    case "week":
      return dayText(label);
    default:
      return `${formatter(DAY).format(clock(label))}, ${formatter(CLOCK).format(clock(label))}`;
  }
}

/** What a bucket is called below an axis. */
export function bucketName(label: string, interval: Interval): string {
  switch (interval) {
    case "month":
      return formatter({ month: "short", year: "2-digit" }).format(instant(`${label}-01`));
    case "day":
    case "week":
      return formatter(DAY).format(instant(label));
    default:
      return isMidnight(label)
        ? formatter(DAY).format(clock(label))
        : formatter(CLOCK).format(clock(label));
  }
}

/** The day that a bucket begins on, by its label. */
export function dayOfLabel(label: string): Day {
  return label.length === 7 ? `${label}-01` : label.slice(0, 10);
}

function isMidnight(label: string): boolean {
  return label.slice(11, 16) === "00:00";
}

/** What the place's clock shows at the label, as if it were UTC. */
function clock(label: string): number {
  return Date.parse(`${label.slice(0, 19)}Z`);
}
