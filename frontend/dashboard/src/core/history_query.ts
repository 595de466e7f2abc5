// The questions that the history page asks the API.
import type { Instants } from "./calendar";
import type { SessionSort } from "./columns";
import { filterParameters, plainValue, type Filters } from "./filters";
import type { Grouping } from "./groupings";

/** Whose sessions, of which time. `timeZone` is an IANA name. */
export interface Scope {
  readonly filters: Filters;
  readonly withBots: boolean;
  readonly instants: Instants;
  readonly timeZone: string;
}

/** Groups in one answer: more than anyone reads, and few enough to come at once. */
export const MOST_GROUPS = 300;
export const PAGE_ROWS = 100;
/** A visitor's sessions, listed beside one of them. */
export const VISITOR_ROWS = 20;

export const EXPORT_FORMATS = ["csv", "ndjson", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What a ranking can be sorted by where it is made. */
export type RankingSort = "visitors" | "sessions" | "views";

export function seriesPath(scope: Scope, compare: boolean): string {
  return path("/stats/timeseries", scope, compared(compare));
}

export function rankingPath(
  scope: Scope,
  grouping: Grouping,
  sort: RankingSort,
  compare: boolean,
): string {
  const [first, second] = grouping;
  const more = { sort, limit: String(MOST_GROUPS), ...compared(compare) };
  if (second === undefined) return path("/stats/top", scope, { dimension: first, ...more });
  return path("/stats/breakdown", scope, { dimensions: `${first},${second}`, ...more });
}

/** A page of the sessions; the one after `cursor`. */
export function sessionsPath(
  scope: Scope,
  sort: SessionSort,
  fields: readonly string[],
  cursor: string | null,
): string {
  const more = { sort, fields: fields.join(","), limit: String(PAGE_ROWS) };
  return path(
    "/sessions",
    scope,
    cursor === null ? { ...more, count: "estimated" } : { ...more, cursor },
  );
}

export function exportPath(
  scope: Scope,
  sort: SessionSort,
  fields: readonly string[],
  format: ExportFormat,
): string {
  return path("/sessions/export", scope, { sort, fields: fields.join(","), format });
}

function path(address: string, scope: Scope, more: Readonly<Record<string, string>>): string {
  const query = scopeParameters(scope);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return `${address}?${query}`;
}

/** The history has no merged sessions, and refuses to look for them. */
function scopeParameters({ filters, withBots, instants, timeZone }: Scope): URLSearchParams {
  const status = filters.status.filter((value) => plainValue(value) !== "merged");
  const query = filterParameters({ ...filters, status });
  query.set("bots", filters.bots[0] ?? (withBots ? "include" : "exclude"));
  query.set("from", new Date(instants.from).toISOString());
  query.set("to", new Date(instants.to).toISOString());
  query.set("tz", timeZone);
  return query;
}

function compared(compare: boolean): Readonly<Record<string, string>> {
  return compare ? { compare: "previous" } : {};
}
