// Which sessions every page is about, and how the URL and the history's questions say so.
import type { SessionUpdate } from "../contracts.gen";

/** The names are those of the history's parameters. */
export const FILTER_NAMES = [
  "site",
  "country",
  "region",
  "city",
  "channel",
  "referrer_domain",
  "utm_campaign",
  "device",
  "browser",
  "os",
  "bots",
  "status",
  "entry",
  "exit",
  "path",
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/**
 * Of each name: one of the values, and none of those that have a "!" in front.
 *
 * Countries are ISO 3166-1 alpha-2 or "unknown"; "" is a session without the property. `bots` is
 * at most one of "only" and "exclude". `entry`, `exit` and `path` are paths or patterns, in which
 * "*" is any text and "?" any one character. `q` are words that one path holds, in any case.
 */
export type Filters = Readonly<Record<FilterName, readonly string[]>> & { readonly q: string };

/** The country of sessions without one: in the URL, and as the history understands it. */
export const UNKNOWN_PLACE = "unknown";
export const STATUSES = ["open", "closed", "final", "merged"] as const;
const BOTS = ["only", "exclude"];
/** As the history has it; more would be refused there. */
const MOST_VALUES = 100;

export const NO_FILTERS: Filters = {
  ...(Object.fromEntries(FILTER_NAMES.map((name) => [name, []])) as unknown as Record<
    FilterName,
    readonly string[]
  >),
  q: "",
};

export function isFiltering(filters: Filters): boolean {
  return filters.q !== "" || activeFilters(filters).length > 0;
}

export function activeFilters(filters: Filters): FilterName[] {
  return FILTER_NAMES.filter((name) => filters[name].length > 0);
}

export function isExcluding(value: string): boolean {
  return value.startsWith("!");
}

/** A value without its "!". */
export function plainValue(value: string): string {
  return isExcluding(value) ? value.slice(1) : value;
}

/** The same text, wanted instead of excluded, or the other way round. */
export function opposite(name: FilterName, value: string): string {
  if (name === "bots") return BOTS.find((each) => each !== value)!;
  return isExcluding(value) ? plainValue(value) : `!${value}`;
}

export type Choice = "wanted" | "excluded" | "free";

/** What the filters say of a plain value. */
export function choiceOf(filters: Filters, name: FilterName, value: string): Choice {
  if (filters[name].includes(value)) return "wanted";
  return filters[name].includes(opposite(name, value)) ? "excluded" : "free";
}

/** The filters with this value, which takes the place of its opposite; without it if they had it. */
export function toggled(filters: Filters, name: FilterName, value: string): Filters {
  const other = opposite(name, value);
  const rest = filters[name].filter((each) => each !== value && each !== other);
  const isNew = !filters[name].includes(value);
  return { ...filters, [name]: isNew ? [...rest, value] : rest };
}

/** Reads a query string; what it does not know it ignores. */
export function filtersFrom(query: string): Filters {
  const given = new URLSearchParams(query);
  const chosen = FILTER_NAMES.map((name) => [name, valuesOf(name, given.getAll(name))]);
  return { ...NO_FILTERS, ...Object.fromEntries(chosen), q: given.get("q") ?? "" };
}

/** As parameters of the URL, which the history understands as well. */
export function filterParameters(filters: Filters): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    for (const value of filters[name]) query.append(name, value);
  }
  if (filters.q.trim() !== "") query.set("q", filters.q);
  return query;
}

/** The query string, without its question mark; empty without filters. */
export function filterQuery(filters: Filters): string {
  return filterParameters(filters).toString();
}

function valuesOf(name: FilterName, given: readonly string[]): string[] {
  const normal = given.map((value) => (name === "country" ? normalCountry(value) : value));
  const known = [...new Set(normal)].filter((value) => isKnown(name, value));
  return known.slice(0, name === "bots" ? 1 : MOST_VALUES);
}

function normalCountry(value: string): string {
  const plain = plainValue(value);
  if (plain.toLowerCase() === UNKNOWN_PLACE) return value.toLowerCase();
  return value.toUpperCase();
}

function isKnown(name: FilterName, value: string): boolean {
  switch (name) {
    case "country":
      return /^!?([A-Z]{2}|unknown)$/.test(value);
    case "bots":
      return BOTS.includes(value);
    case "status":
      return STATUSES.some((status) => status === plainValue(value));
    default:
      return true;
  }
}

export type Status = SessionUpdate["status"];
