// Numbers, times and places as people read them.
export type Zone = "local" | "utc";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const numbers = new Intl.NumberFormat("en");
const regions = new Intl.DisplayNames("en", { type: "region" });
const clocks = new Map<string, Intl.DateTimeFormat>();

export function count(value: number): string {
  return numbers.format(value);
}

export function plural(value: number, one: string, many: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** As a stopwatch shows it: 0:07, 12:30, 1:02:03, 2 d 3:00:00. */
export function stopwatch(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / SECOND));
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor(whole / 3_600) % 24;
  const minutes = Math.floor(whole / 60) % 60;
  const tail = `${pad(whole % 60)}`;
  const clock = hours || days ? `${hours}:${pad(minutes)}:${tail}` : `${minutes}:${tail}`;
  return days ? `${days} d ${clock}` : clock;
}

/** In words, two units at most: 7 s, 12 min 30 s, 1 h 2 min. */
export function span(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} s`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, "min", SECOND, "s");
  if (ms < DAY) return twoUnits(ms, HOUR, "h", MINUTE, "min");
  return twoUnits(ms, DAY, "d", HOUR, "h");
}

function twoUnits(ms: number, big: number, bigName: string, small: number, smallName: string) {
  const rest = Math.floor((ms % big) / small);
  return `${Math.floor(ms / big)} ${bigName}` + (rest ? ` ${rest} ${smallName}` : "");
}

/** How long ago, coarsely enough to be calm: now, 12 s, 4 min, 3 h, 2 d. */
export function ago(ms: number): string {
  if (ms < 3 * SECOND) return "now";
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${numbers.format(Math.floor(ms / DAY))} d`;
}

/** A delay with the digits it deserves: 0.62 s, 4.1 s, 75 s. */
export function delay(ms: number): string {
  if (ms < 9_950) return `${(ms / SECOND).toFixed(ms < 995 ? 2 : 1)} s`;
  return ms < 10 * MINUTE ? `${Math.round(ms / SECOND)} s` : span(ms);
}

/** A response time: 8 ms, 1.25 s. */
export function milliseconds(ms: number): string {
  return ms < SECOND ? `${Math.round(ms)} ms` : `${(ms / SECOND).toFixed(2)} s`;
}

export function clockTime(ms: number, zone: Zone): string {
  return formatter(zone, { timeStyle: "medium" }).format(ms);
}

export function hourMinute(ms: number, zone: Zone): string {
  return formatter(zone, { timeStyle: "short" }).format(ms);
}

export function dateTime(ms: number, zone: Zone): string {
  return formatter(zone, { dateStyle: "medium", timeStyle: "medium" }).format(ms);
}

/** The IANA name of the zone that times are shown in. */
export function timeZone(zone: Zone): string {
  return zone === "utc" ? "UTC" : new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** The time of day elsewhere, or null for a time zone that this browser does not know. */
export function timeIn(timeZone: string, ms: number): string | null {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(ms);
  } catch {
    return null;
  }
}

export function countryName(code: string | null): string {
  if (!code || code === "unknown") return "Unknown place";
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}

/** A channel or device as a title: paid_search becomes Paid search. */
export function title(text: string): string {
  const spaced = text.replaceAll("_", " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** A product's own name, such as iOS, as it is written; what is not known, as a word. */
export function named(text: string): string {
  return text === "unknown" ? "Unknown" : text;
}

function formatter(zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone}/${options.dateStyle}/${options.timeStyle}`;
  let known = clocks.get(key);
  if (!known) {
    const timeZone = zone === "utc" ? { timeZone: "UTC" } : {};
    known = new Intl.DateTimeFormat("en-GB", { ...options, ...timeZone });
    clocks.set(key, known);
  }
  return known;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
