// What the page asks the history for.
import { filterParameters, type Filters } from "../core/filters";
import type { Range, Stats } from "../core/model";
import { statsQuery } from "../core/ranges";
import type { DetailAnswer } from "../core/transitions";
import type { Ledger, SessionUpdate } from "../contracts.gen";

const API = "/api/v1";
export interface SessionPage {
  readonly items: readonly SessionUpdate[];
  readonly next_cursor: string | null;
}

/** The server said no. `status` is HTTP's. */
export class RequestFailed extends Error {
  constructor(
    readonly status: number,
    path: string,
  ) {
    super(`${path} answered ${status}`);
  }
}

export function fetchSession(id: string): Promise<DetailAnswer> {
  return get(`/sessions/${encodeURIComponent(id)}`);
}

/** `limit` is at most 1,000. */
export function fetchSessions(
  filters: Filters,
  cursor: string | null,
  limit: number,
): Promise<SessionPage> {
  const query = filterParameters(filters);
  query.set("limit", String(limit));
  if (cursor) query.set("cursor", cursor);
  return get(`/sessions?${query}`);
}

/** The periods that are whole days count them in `timeZone`, an IANA name. */
export function fetchStats(range: Range, now: number, timeZone: string): Promise<Stats> {
  return get(`/stats?${new URLSearchParams(statsQuery(range, now, timeZone))}`);
}

export function fetchLedger(): Promise<Ledger> {
  return get("/ledger?buckets=false");
}

let onUnauthorized = (): void => {};

/** Calls `listener` whenever the server wants a log-in. */
export function whenLockedOut(listener: () => void): void {
  onUnauthorized = listener;
}

/** The server wants a log-in. */
export function lockedOut(): void {
  onUnauthorized();
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(API + path, { headers: { accept: "application/json" } });
  if (response.status === 401) lockedOut();
  if (!response.ok) throw new RequestFailed(response.status, path);
  return (await response.json()) as T;
}
