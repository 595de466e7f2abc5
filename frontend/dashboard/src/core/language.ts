// The language that the dashboard speaks at present. What is drawn after a change is in the new one.
import { de } from "../texts/de";
import { en, type Texts } from "../texts/en";

export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

const TEXTS: Readonly<Record<Language, Texts>> = { en, de };

let current: Language = "en";

/** The texts of the present language; ask anew for each drawing. */
export function t(): Texts {
  return TEXTS[current];
}

export function language(): Language {
  return current;
}

export function speak(chosen: Language): void {
  current = chosen;
}

/** The first of a reader's languages (BCP 47, by preference) that is spoken here; else English. */
export function preferredLanguage(wanted: readonly string[]): Language {
  const primary = wanted.map((tag) => tag.toLowerCase().split("-")[0]);
  return primary.map((tag) => LANGUAGES.find((each) => each === tag)).find(Boolean) ?? "en";
}
