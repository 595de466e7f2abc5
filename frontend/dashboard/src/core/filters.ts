// What the list shows, and how the URL says so.
import type { SessionUpdate } from "../contracts.gen";

export type StatusFilter = SessionUpdate["status"] | "";
export type BotFilter = "people" | "bots" | "";

export interface Filters {
  /** ISO 3166-1 alpha-2, "unknown" for sessions without a country, "" for any. */
  readonly country: string;
  readonly status: StatusFilter;
  readonly bots: BotFilter;
  readonly channel: string;
  /** Text in the entry page or the current page, upper and lower case alike. */
  readonly page: string;
}

/** The country of sessions without one: in the URL, and as the history understands it. */
export const UNKNOWN_PLACE = "unknown";

export type FilterName = keyof Filters;

export const NO_FILTERS: Filters = { country: "", status: "", bots: "", channel: "", page: "" };
export const STATUSES = ["open", "closed", "final", "merged"] as const;
const BOTS = ["people", "bots"] as const;

export function isFiltering(filters: Filters): boolean {
  return activeFilters(filters).length > 0;
}

export function activeFilters(filters: Filters): FilterName[] {
  return (Object.keys(NO_FILTERS) as FilterName[]).filter((name) => filters[name] !== "");
}

export function matches(session: SessionUpdate, filters: Filters): boolean {
  return (
    matchesStatus(session, filters.status) &&
    matchesCountry(session, filters.country) &&
    (filters.bots === "" || (filters.bots === "bots") === session.agent.is_bot) &&
    (filters.channel === "" || session.attribution.channel === filters.channel) &&
    matchesPage(session, filters.page)
  );
}

/** A merged session lives on in its successor, so it shows only when asked for. */
function matchesStatus(session: SessionUpdate, status: StatusFilter): boolean {
  return status === "" ? session.status !== "merged" : session.status === status;
}

function matchesCountry(session: SessionUpdate, country: string): boolean {
  return country === "" || (session.geo?.country ?? UNKNOWN_PLACE) === country;
}

function matchesPage(session: SessionUpdate, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return (
    wanted === "" ||
    session.exit_page.toLowerCase().includes(wanted) ||
    session.entry_page.toLowerCase().includes(wanted)
  );
}

/** Reads a query string; what it does not know it ignores. */
export function filtersFrom(query: string): Filters {
  const given = new URLSearchParams(query);
  const country = given.get("country") ?? "";
  return {
    country: /^([A-Za-z]{2}|unknown)$/.test(country) ? normalCountry(country) : "",
    status: oneOf(STATUSES, given.get("status")),
    bots: oneOf(BOTS, given.get("bots")),
    channel: given.get("channel") ?? "",
    page: given.get("page") ?? "",
  };
}

/** The query string, without its question mark; empty without filters. */
export function filterQuery(filters: Filters): string {
  const query = new URLSearchParams();
  for (const name of activeFilters(filters)) query.set(name, filters[name]);
  return query.toString();
}

function normalCountry(text: string): string {
  return text === UNKNOWN_PLACE ? text : text.toUpperCase();
}

function oneOf<T extends string>(known: readonly T[], text: string | null): T | "" {
  return known.find((value) => value === text) ?? "";
}
