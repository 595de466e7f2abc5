// An answer of the API as a part of a page: asked when its question changes, with its states.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { t } from "../core/language";
import { ask, Refusal } from "../shell/request";

export interface Asked<T> {
  readonly state: "none" | "loading" | "ready" | "failed";
  /** The newest answer; while another is awaited that of the question before. */
  readonly answer: T | null;
  /** Why there is none, in the server's words. */
  readonly fault: string;
  readonly again: () => void;
}

type Found<T> = Omit<Asked<T>, "again">;

/** Asks a path of the API; null asks nothing. With `everyMs` it asks again and again. */
export function useAnswer<T>(path: string | null, everyMs = 0): Asked<T> {
  const [found, show] = useState<Found<T>>({ state: "none", answer: null, fault: "" });
  const [turn, setTurn] = useState(0);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    if (path === null) return show({ state: "none", answer: null, fault: "" });
    const leaving = new AbortController();
    show((before) => ({ ...before, state: before.answer ? before.state : "loading" }));
    const wait = window.setTimeout(
      () => show((before) => ({ ...before, state: "loading" })),
      SLOW_MS,
    );
    ask<T>(path, leaving.signal)
      .then((answer) => show({ state: "ready", answer, fault: "" }))
      .catch((error: unknown) => {
        if (!leaving.signal.aborted) show((before) => failed(before, error));
      })
      .finally(() => window.clearTimeout(wait));
    return () => {
      window.clearTimeout(wait);
      leaving.abort();
    };
  }, [path, turn]);
  useEffect(() => {
    if (everyMs === 0 || path === null) return;
    const timer = window.setInterval(again, everyMs);
    return () => window.clearInterval(timer);
  }, [path, everyMs]);
  return { ...found, again };
}

/** Sooner than this, telling that it loads would only flicker. */
const SLOW_MS = 400;

function failed<T>(before: Found<T>, error: unknown): Found<T> {
  return { ...before, state: "failed", fault: sentence(error) };
}

/** What a refused request is to be told as. */
export function sentence(error: unknown): string {
  return (error instanceof Refusal && error.message) || t().asked.noAnswer;
}

interface Props<T> {
  readonly asked: Asked<T>;
  readonly children: (answer: T) => ComponentChildren;
}

/** The answer, dimmed while the next one is on its way; or why there is none. */
export function Answer<T>({ asked, children }: Props<T>) {
  const { state, answer, fault } = asked;
  return (
    <div class="answer" aria-busy={state === "loading"} data-state={state}>
      {state === "failed" && (
        <p class="answer-fault" role="alert">
          {fault}{" "}
          <button type="button" class="text-button" onClick={asked.again}>
            {t().asked.again}
          </button>
        </p>
      )}
      {answer !== null && children(answer)}
      {answer === null && state === "loading" && <p class="quiet">{t().pages.loading}</p>}
    </div>
  );
}
