// An answer of the API as a part of a page, with its states.
import type { ComponentChildren } from "preact";
import type { Asked } from "./use_answer";
import { t } from "../core/language";
import { Unanswered } from "../shell/ask";

/** What a refused request is to be told as. */
export function sentence(error: unknown): string {
  return error instanceof Unanswered ? error.message : t().asked.noAnswer;
}

interface Props<T> {
  readonly asked: Asked<T>;
  readonly children: (answer: T) => ComponentChildren;
}

/** The answer, dimmed while the next one is on its way; or why there is none. */
export function Answer<T>({ asked, children }: Props<T>) {
  const { isLoading, answer, problem } = asked;
  return (
    <div class="answer" aria-busy={isLoading}>
      {problem && (
        <p class="answer-fault" role="alert">
          {problem.detail}{" "}
          <button type="button" class="text-button" onClick={asked.again}>
            {t().asked.again}
          </button>
        </p>
      )}
      {answer !== null && children(answer)}
      {answer === null && isLoading && <p class="quiet">{t().pages.loading}</p>}
    </div>
  );
}
