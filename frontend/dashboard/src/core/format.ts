// Numbers, times and places as people read them, in the language that the page speaks.
import { language, t, type Language } from "./language";

/** "local" is this browser's, "utc" is UTC, all else an IANA name. */
export type Zone = string;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Which dates and clocks go with a language: English ones with the clock of 24 hours. */
const LOCALES: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE" };

const known = new Map<string, unknown>();

/** Making a formatter takes far longer than using it. */
function kept<T>(name: string, make: (locale: string) => T): T {
  const key = `${language()}/${name}`;
  if (!known.has(key)) known.set(key, make(LOCALES[language()]));
  return known.get(key) as T;
}

export function count(value: number): string {
  return number(value, 0);
}

/** With exactly so many digits behind the comma. */
function number(value: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return kept(`number/${digits}`, (locale) => new Intl.NumberFormat(locale, options)).format(value);
}

export function plural(value: number, one: string, many: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function percent(share: number): string {
  return `${number(share * 100, share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** As a stopwatch shows it: 0:07, 12:30, 1:02:03, 2 d 3:00:00. */
export function stopwatch(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / SECOND));
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor(whole / 3_600) % 24;
  const minutes = Math.floor(whole / 60) % 60;
  const tail = `${pad(whole % 60)}`;
  const clock = hours || days ? `${hours}:${pad(minutes)}:${tail}` : `${minutes}:${tail}`;
  return days ? `${days} ${t().units.day} ${clock}` : clock;
}

/** In words, two units at most: 7 s, 12 min 30 s, 1 h 2 min. */
export function span(ms: number): string {
  const { second, minute, hour, day } = t().units;
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))} ${second}`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, minute, SECOND, second);
  if (ms < DAY) return twoUnits(ms, HOUR, hour, MINUTE, minute);
  return twoUnits(ms, DAY, day, HOUR, hour);
}

function twoUnits(ms: number, big: number, bigName: string, small: number, smallName: string) {
  const rest = Math.floor((ms % big) / small);
  return `${count(Math.floor(ms / big))} ${bigName}` + (rest ? ` ${rest} ${smallName}` : "");
}

/** How long ago, coarsely enough to be calm: now, 12 s, 4 min, 3 h, 2 d. */
export function ago(ms: number): string {
  const { second, minute, hour, day, now } = t().units;
  if (ms < 3 * SECOND) return now;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} ${second}`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} ${minute}`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} ${hour}`;
  return `${count(Math.floor(ms / DAY))} ${day}`;
}

/** A delay with the digits it deserves: 0.62 s, 4.1 s, 75 s. */
export function delay(ms: number): string {
  const { second } = t().units;
  if (ms < 9_950) return `${number(ms / SECOND, ms < 995 ? 2 : 1)} ${second}`;
  return ms < 10 * MINUTE ? `${Math.round(ms / SECOND)} ${second}` : span(ms);
}

/** A response time: 8 ms, 1.25 s. */
export function milliseconds(ms: number): string {
  return ms < SECOND ? `${Math.round(ms)} ms` : `${number(ms / SECOND, 2)} ${t().units.second}`;
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
  if (zone !== "local") return zone === "utc" ? "UTC" : zone;
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/** The time of day elsewhere, or null for a time zone that this browser does not know. */
export function timeIn(timeZone: string, ms: number): string | null {
  try {
    const options: Intl.DateTimeFormatOptions = { timeZone, timeStyle: "short" };
    return kept(`in/${timeZone}`, (locale) => new Intl.DateTimeFormat(locale, options)).format(ms);
  } catch {
    return null;
  }
}

export function countryName(code: string | null): string {
  if (!code || code === "unknown") return t().unknownPlace;
  try {
    const regions = kept(
      "regions",
      (locale) => new Intl.DisplayNames(locale.slice(0, 2), { type: "region" }),
    );
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}

/** A channel, device or status as a title: paid_search becomes Paid search. */
export function title(text: string): string {
  const { names } = t();
  if (Object.hasOwn(names, text)) return names[text]!;
  const spaced = text.replaceAll("_", " ");
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** A product's own name, such as iOS, as it is written; what is not known, as a word. */
export function named(text: string): string {
  return text === "unknown" ? title(text) : text;
}

function formatter(zone: Zone, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const place = zone === "local" ? {} : { timeZone: timeZone(zone) };
  return kept(
    `${zone}/${options.dateStyle}/${options.timeStyle}`,
    (locale) => new Intl.DateTimeFormat(locale, { ...options, ...place }),
  );
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
