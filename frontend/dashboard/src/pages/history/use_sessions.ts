import { useEffect, useRef, useState } from "preact/hooks";
import { told } from "../../view/use_answer";
import type { Problem } from "../../core/problem";
import { ask } from "../../shell/ask";
import type { SessionUpdate } from "../../contracts.gen";

/** A session with the fields that were asked for. */
export type Row = Partial<SessionUpdate> & Pick<SessionUpdate, "session_id">;

interface Page {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
  readonly count?: { readonly sessions: number; readonly is_exact: boolean };
}

export interface Rows {
  readonly items: readonly Row[];
  /** How many there are in all; null while nobody has said. */
  readonly total: number | null;
  /** Of very many the number is an estimate. */
  readonly isExact: boolean;
  readonly state: "loading" | "ready" | "more" | "end";
  readonly problem: Problem | null;
}

interface Kept extends Rows {
  readonly cursor: string | null;
}

const NOTHING: Kept = {
  items: [],
  total: null,
  isExact: true,
  state: "loading",
  problem: null,
  cursor: null,
};

/** The sessions of a list page by page. `pathOf` makes the question, and tells lists apart. */
export function useSessions(pathOf: (cursor: string | null) => string) {
  const [kept, keep] = useState<Kept>(NOTHING);
  const stopping = useRef(new AbortController());
  const list = pathOf(null);

  const load = (cursor: string | null) => {
    const { signal } = stopping.current;
    keep((before) => ({ ...before, state: cursor ? "more" : "loading", problem: null }));
    ask<Page>(pathOf(cursor), signal).then(
      (page) => keep((before) => joined(before, page, cursor)),
      (error: unknown) => {
        if (signal.aborted) return;
        keep((before) => ({ ...before, state: "ready", problem: told(error) }));
      },
    );
  };

  useEffect(() => {
    stopping.current = new AbortController();
    load(null);
    return () => stopping.current.abort();
  }, [list]);

  return {
    rows: kept as Rows,
    /** Asks for the next page, unless it is on its way or there is none. */
    more: () => kept.state === "ready" && kept.problem === null && load(kept.cursor),
    again: () => load(kept.cursor),
  };
}

function joined(before: Kept, page: Page, cursor: string | null): Kept {
  return {
    items: cursor === null ? page.items : [...before.items, ...page.items],
    total: page.count?.sessions ?? (cursor === null ? null : before.total),
    isExact: page.count?.is_exact ?? before.isExact,
    state: page.next_cursor === null ? "end" : "ready",
    problem: null,
    cursor: page.next_cursor,
  };
}
