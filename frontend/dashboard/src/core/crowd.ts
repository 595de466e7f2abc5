// Who is here now under the filters, and what they have in common. All from one book.
import type { Book } from "./book";
import { isFiltering, type FilterName, type Filters } from "./filters";
import { matcher, VALUES } from "./matching";
import { MINUTE_MS, MINUTES_SHOWN } from "./minutes";
import type { Scene } from "./model";
import { isHere, presence, type Presence } from "./presence";
import type { EnrichedEvent, SessionUpdate } from "../contracts.gen";

export interface Tally {
  readonly value: string;
  readonly sessions: number;
}

/** Everyone who is here and meets the filters. */
export function crowd(book: Book, filters: Filters, now: number): SessionUpdate[] {
  const test = matcher(filters);
  const found: SessionUpdate[] = [];
  for (const session of book.values()) {
    if (isHere(session, now) && test(session)) found.push(session);
  }
  return found;
}

/** How many they are: without filters as the server counts, as it knows of everyone. */
export function headcount(
  scene: Scene,
  filters: Filters,
  here: readonly SessionUpdate[],
): Presence {
  if (!isFiltering(filters)) return presence(scene.counts);
  const bots = here.reduce((sum, session) => sum + Number(session.agent.is_bot), 0);
  return { people: here.length - bots, bots };
}

/** By the values of a filter's name, most first; the value decides between equals. */
export function tallied(sessions: readonly SessionUpdate[], name: FilterName): Tally[] {
  const counts = new Map<string, number>();
  const read = VALUES[name];
  for (const session of sessions) {
    const value = read(session)[0]!;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, sessions]) => ({ value, sessions }))
    .sort((a, b) => b.sessions - a.sessions || (a.value < b.value ? -1 : 1));
}

/** Sessions that began in each minute of the last hour and meet the filters, oldest first. */
export function begunByMinute(book: Book, filters: Filters, now: number): number[] {
  const test = matcher(filters);
  const first = Math.floor(now / MINUTE_MS) - (MINUTES_SHOWN - 1);
  const counts = new Array<number>(MINUTES_SHOWN).fill(0);
  for (const session of book.values()) {
    const index = Math.floor(session.start / MINUTE_MS) - first;
    if (index >= 0 && index < MINUTES_SHOWN && test(session)) counts[index]! += 1;
  }
  return counts;
}

/** The events that belong to sessions that meet the filters, as far as their sessions are known. */
export function eventsOf(
  feed: readonly EnrichedEvent[],
  book: Book,
  filters: Filters,
): readonly EnrichedEvent[] {
  if (!isFiltering(filters)) return feed;
  const test = matcher(filters);
  const wanted = new Map<string, SessionUpdate[]>();
  for (const event of feed) wanted.set(visitorKey(event), []);
  for (const session of book.values()) wanted.get(visitorKey(session))?.push(session);
  return feed.filter((event) => {
    const own = sessionAt(wanted.get(visitorKey(event))!, event.event_time);
    return own !== undefined && test(own);
  });
}

/** The session of a visitor's that an event is part of. */
export function sessionAt(
  sessions: readonly SessionUpdate[],
  time: number,
): SessionUpdate | undefined {
  return sessions.find(
    (session) => session.status !== "merged" && session.start <= time && time <= session.expires,
  );
}

function visitorKey(one: { readonly site_id: string; readonly visitor_id: string }): string {
  return `${one.site_id}/${one.visitor_id}`;
}
