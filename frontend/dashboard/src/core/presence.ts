// Who is here now, and from where.
import type { Book } from "./book";
import type { LiveCounts, SessionUpdate } from "../contracts.gen";

/**
 * Open, and silence has not ended it yet, as the server counts: a replay's sessions of another
 * year are open for a while without being here.
 */
export function isHere(session: SessionUpdate, now: number): boolean {
  return session.status === "open" && session.expires > now;
}

export interface Presence {
  readonly people: number;
  readonly bots: number;
}

export function presence(counts: LiveCounts | null): Presence {
  return { people: counts?.open_sessions ?? 0, bots: counts?.open_bots ?? 0 };
}

export interface Place {
  /** ISO 3166-1 alpha-2, or null for sessions without a country. */
  readonly country: string | null;
  readonly sessions: number;
}

/** Sessions by country, most first, unknown last. */
export function byCountry(sessions: Iterable<SessionUpdate>): Place[] {
  const tally = new Map<string | null, number>();
  for (const session of sessions) {
    const country = session.geo?.country ?? null;
    tally.set(country, (tally.get(country) ?? 0) + 1);
  }
  return [...tally]
    .map(([country, count]) => ({ country, sessions: count }))
    .sort(
      (a, b) =>
        Number(a.country === null) - Number(b.country === null) ||
        b.sessions - a.sessions ||
        String(a.country).localeCompare(String(b.country)),
    );
}

export interface Spot {
  readonly latitude: number;
  readonly longitude: number;
  readonly sessions: number;
}

/** Sessions by place to the nearest degree: near ones share a dot on a world map. */
export function bySpot(sessions: Iterable<SessionUpdate>): Spot[] {
  const spots = new Map<string, Spot>();
  for (const { geo } of sessions) {
    if (geo?.latitude == null || geo.longitude == null) continue;
    const key = `${Math.round(geo.latitude)}/${Math.round(geo.longitude)}`;
    const spot = spots.get(key) ?? {
      latitude: geo.latitude,
      longitude: geo.longitude,
      sessions: 0,
    };
    spots.set(key, { ...spot, sessions: spot.sessions + 1 });
  }
  return [...spots.values()].sort((a, b) => b.sessions - a.sessions);
}

export function sessionsHere(book: Book, now: number): SessionUpdate[] {
  return [...book.values()].filter((session) => isHere(session, now));
}
