// What the reader chose, kept in this browser.
import { isTimeZone } from "../core/calendar";
import type { Zone } from "../core/format";
import { LANGUAGES, preferredLanguage, speak } from "../core/language";
import type { LanguageChoice, Range, Theme } from "../core/model";

export interface Preferences {
  readonly theme: Theme;
  readonly language: LanguageChoice;
  readonly zone: Zone;
  readonly range: Range;
}

const KEY = "clickwake.preferences";

/** Storage may be forbidden or hold anything: then the defaults apply. */
export function readPreferences(): Partial<Preferences> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? known(stored) : {};
  } catch {
    return {};
  }
}

export function writePreferences(preferences: Preferences): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // The choice holds for this visit.
  }
}

export function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** The page speaks the language, and says so to browsers and screen readers. */
export function showLanguage(choice: LanguageChoice): void {
  const language = choice === "system" ? preferredLanguage(navigator.languages) : choice;
  speak(language);
  document.documentElement.lang = language;
}

function known(stored: object): Partial<Preferences> {
  const { theme, language, zone, range } = stored as Record<string, unknown>;
  return {
    ...pick("theme", ["system", "light", "dark"] as const, theme),
    ...pick("language", ["system", ...LANGUAGES] as const, language),
    ...(isZone(zone) ? { zone } : {}),
    ...pick("range", ["hour", "day", "today", "yesterday", "week"] as const, range),
  };
}

function isZone(value: unknown): value is Zone {
  if (typeof value !== "string") return false;
  return value === "local" || value === "utc" || isTimeZone(value);
}

function pick<N extends string, T extends string>(
  name: N,
  allowed: readonly T[],
  value: unknown,
): Partial<Record<N, T>> {
  const found = allowed.find((each) => each === value);
  return found ? ({ [name]: found } as Record<N, T>) : {};
}
