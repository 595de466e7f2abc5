import { useCallback, useEffect, useState } from "preact/hooks";
import { isPassing, type Problem } from "../core/problem";
import { ask, Unanswered } from "../shell/ask";

export interface Asked<T> {
  /** The newest answer, while another question is open that to the one before; null without one. */
  readonly answer: T | null;
  readonly isLoading: boolean;
  readonly problem: Problem | null;
  readonly again: () => void;
}

interface State<T> {
  readonly path: string | null;
  readonly answer: T | null;
  readonly problem: Problem | null;
}

const RETRY_MS = 10_000;

/**
 * The answer to the question at `path`; without one nothing is asked. Answers to questions that
 * are no longer wanted are dropped. With `everyMs` it is asked again and again, while seen.
 */
export function useAnswer<T>(path: string | null, everyMs: number | null = null): Asked<T> {
  const [state, set] = useState<State<T>>({ path: null, answer: null, problem: null });
  const [round, next] = useState(0);
  const again = useCallback(() => next((before) => before + 1), []);
  useEffect(() => {
    if (path === null) return;
    const stopping = new AbortController();
    ask<T>(path, stopping.signal).then(
      (answer) => set({ path, answer, problem: null }),
      (error: unknown) => {
        if (stopping.signal.aborted) return;
        set(({ answer }) => ({ path, answer, problem: told(error) }));
      },
    );
    return () => stopping.abort();
  }, [path, round]);
  useRepeats(again, state.problem ? retryMs(state.problem) : everyMs);
  const isLoading = path !== null && state.path !== path;
  const answer = path === null ? null : state.answer;
  const problem = path === null || isLoading ? null : state.problem;
  return { answer, isLoading, problem, again };
}

function retryMs(problem: Problem): number | null {
  return isPassing(problem) ? RETRY_MS : null;
}

function useRepeats(action: () => void, everyMs: number | null): void {
  useEffect(() => {
    if (everyMs === null) return;
    const timer = window.setInterval(() => document.hidden || action(), everyMs);
    return () => clearInterval(timer);
  }, [action, everyMs]);
}

/** What an error is to the reader; one of our own is thrown on. */
export function told(error: unknown): Problem {
  if (error instanceof Unanswered) return error.problem;
  throw error;
}
