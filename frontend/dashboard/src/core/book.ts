// The sessions this dashboard knows. Only the highest (epoch, revision) of each counts.
import type { SessionUpdate } from "../contracts.gen";

export type Book = ReadonlyMap<string, SessionUpdate>;

/** `from` has just become part of `into`. */
export interface Absorption {
  readonly from: string;
  readonly into: string;
}

export interface Change {
  readonly book: Book;
  /** Ids whose state is newer than before, in the order given. */
  readonly changed: readonly string[];
  readonly absorbed: readonly Absorption[];
}

export const EMPTY_BOOK: Book = new Map();
/** Sessions that are kept; the open ones before all others. */
export const BOOK_LIMIT = 6_000;

export function supersedes(candidate: SessionUpdate, known: SessionUpdate | undefined): boolean {
  if (!known || candidate.epoch !== known.epoch) return !known || candidate.epoch > known.epoch;
  return candidate.revision > known.revision;
}

export function record(
  book: Book,
  updates: readonly SessionUpdate[],
  limit: number = BOOK_LIMIT,
): Change {
  const next = new Map(book);
  const changed: string[] = [];
  const absorbed: Absorption[] = [];
  for (const update of updates) {
    const known = next.get(update.session_id);
    if (!supersedes(update, known)) continue;
    next.set(update.session_id, update);
    changed.push(update.session_id);
    if (isFreshMerge(known, update)) {
      absorbed.push({ from: update.session_id, into: update.merged_into! });
    }
  }
  return {
    book: trimmed(next, limit),
    changed,
    absorbed: absorbed.map(({ from, into }) => ({ from, into: lastOf(next, into) })),
  };
}

/** The session at the end of a chain of merges, as far as it is known. */
export function lastOf(book: Book, id: string): string {
  const seen = new Set([id]);
  for (;;) {
    const into = book.get(id)?.merged_into;
    if (!into || seen.has(into)) return id;
    seen.add((id = into));
  }
}

function isFreshMerge(known: SessionUpdate | undefined, update: SessionUpdate): boolean {
  return known !== undefined && known.status !== "merged" && update.merged_into !== null;
}

/** Forgets what is over first, then the oldest activity. Some slack, so that it sorts rarely. */
function trimmed(book: Map<string, SessionUpdate>, limit: number): Book {
  if (book.size <= limit * 1.1) return book;
  return new Map(
    [...book.values()]
      .sort((a, b) => Number(isOver(a)) - Number(isOver(b)) || byNewestActivity(a, b))
      .slice(0, limit)
      .map((session) => [session.session_id, session]),
  );
}

function isOver(session: SessionUpdate): boolean {
  return session.status !== "open";
}

/** Newest activity first; the id decides between equals, so the order is total. */
export function byNewestActivity(a: SessionUpdate, b: SessionUpdate): number {
  return b.last_seen - a.last_seen || (a.session_id < b.session_id ? -1 : 1);
}
