// Days of a place, as the history counts them. Pure: now is passed in.
//
// A day begins at the last moment at which the place's clock passes to its date from an earlier
// one: midnight on nearly all days, the change of the clock where that leaves midnight out.

/** A date such as 2026-03-01, in no time zone. */
export type Day = string;

/** The first and the last day, both included. */
export interface Days {
  readonly first: Day;
  readonly last: Day;
}

/** From `from` on and before `to`, ms since 1970 UTC. */
export interface Instants {
  readonly from: number;
  readonly to: number;
}

const DAY_MS = 86_400_000;
const FORM = /^\d{4}-\d{2}-\d{2}$/;
/** What the history takes, and every browser can count with. */
const FIRST: Day = "1970-01-01";
const LAST: Day = "9000-01-01";

export function isDay(text: string): boolean {
  return FORM.test(text) && text >= FIRST && text <= LAST && dayOf(utc(text)) === text;
}

export function addDays(day: Day, days: number): Day {
  return dayOf(utc(day) + days * DAY_MS);
}

/** How many days from one to the other; negative when it is before. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((utc(to) - utc(from)) / DAY_MS);
}

/** 0 is Monday. */
export function weekday(day: Day): number {
  return (new Date(utc(day)).getUTCDay() + 6) % 7;
}

/** The same day of another month, or that month's last. */
export function addMonths(day: Day, months: number): Day {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 + months, Math.min(date, last)));
}

/** The weeks (from Monday) that a month's days are in, whole ones. */
export function weeksOfMonth(day: Day): Day[][] {
  const first = `${day.slice(0, 8)}01`;
  const after = addMonths(first, 1);
  const weeks: Day[][] = [];
  for (let monday = addDays(first, -weekday(first)); monday < after; monday = addDays(monday, 7)) {
    weeks.push(Array.from({ length: 7 }, (_, index) => addDays(monday, index)));
  }
  return weeks;
}

/** The day that an instant counts on. `zone` is an IANA name. */
export function dayAt(instant: number, zone: string): Day {
  const day = dayOf(local(instant, zone));
  // Where the clock was set back over midnight, the date comes, goes, and comes again.
  return instant >= dayStart(day, zone) ? day : addDays(day, -1);
}

/** When a day begins in that zone, ms since 1970 UTC. */
export function dayStart(day: Day, zone: string): number {
  const midnight = utc(day);
  const before = offset(midnight - DAY_MS, zone);
  const after = offset(midnight + DAY_MS, zone);
  const later = midnight - after;
  if (before === after) return later;
  const change = changeBetween(midnight - DAY_MS, midnight + DAY_MS, zone);
  const comesBefore = change + before < midnight;
  const comesAfter = change + after < midnight;
  if (later >= change && (comesBefore || comesAfter)) return later;
  return comesBefore && !comesAfter ? change : midnight - before;
}

export function instantsOf({ first, last }: Days, zone: string): Instants {
  return { from: dayStart(first, zone), to: dayStart(addDays(last, 1), zone) };
}

/** Whether this browser knows a time zone of that name. */
export function isTimeZone(name: string): boolean {
  try {
    formatter(name);
    return true;
  } catch {
    return false;
  }
}

function utc(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The first instant with the later offset, between two with different ones. */
function changeBetween(start: number, end: number, zone: string): number {
  const earlier = offset(start, zone);
  let [before, after] = [start, end];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle, zone) === earlier) before = middle;
    else after = middle;
  }
  return after;
}

/** Local time minus UTC, ms. */
function offset(instant: number, zone: string): number {
  return local(instant, zone) - instant;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timeZone: string): Intl.DateTimeFormat {
  let known = formatters.get(timeZone);
  if (!known) {
    known = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formatters.set(timeZone, known);
  }
  return known;
}

/** What the place's clock shows, as if it were UTC. */
function local(instant: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatter(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year, month, day, hour, minute, second } = parts as Record<string, number>;
  const rest = ((instant % 1_000) + 1_000) % 1_000;
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) + rest;
}
