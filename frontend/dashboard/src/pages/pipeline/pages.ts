// A list that grows by pages, beginning anew when its question changes.
import { useCallback, useEffect, useState } from "preact/hooks";
import type { Listed } from "../../core/pipeline";
import { ask } from "../../shell/request";
import { sentence } from "../../view/asked";

export interface Pages<T> {
  readonly items: readonly T[] | null;
  readonly hasMore: boolean;
  readonly fault: string;
  readonly more: () => void;
  readonly again: () => void;
}

interface Found<T> {
  readonly items: readonly T[] | null;
  readonly cursor: string | null;
  readonly fault: string;
}

/** The list at a path with a query of its own. */
export function usePages<T>(path: string): Pages<T> {
  const [found, show] = useState<Found<T>>({ items: null, cursor: null, fault: "" });
  const [turn, setTurn] = useState(0);
  const load = useCallback(
    (cursor: string | null, signal?: AbortSignal) => {
      const query = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      ask<Listed<T>>(path + query, signal)
        .then((page) =>
          show((before) => ({
            items: [...((cursor !== null && before.items) || []), ...page.items],
            cursor: page.next_cursor,
            fault: "",
          })),
        )
        .catch((error: unknown) => {
          if (!signal?.aborted) show((before) => ({ ...before, fault: sentence(error) }));
        });
    },
    [path],
  );
  useEffect(() => {
    const leaving = new AbortController();
    load(null, leaving.signal);
    return () => leaving.abort();
  }, [load, turn]);
  return {
    items: found.items,
    hasMore: found.cursor !== null,
    fault: found.fault,
    more: () => load(found.cursor),
    again: () => setTurn((before) => before + 1),
  };
}
