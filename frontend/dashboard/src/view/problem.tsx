import { t } from "../core/language";
import type { Problem } from "../core/problem";

interface Props {
  readonly problem: Problem;
  readonly onAgain?: () => void;
}

/** What went wrong, in the server's own words, and the way to try again. */
export function ProblemNote({ problem, onAgain }: Props) {
  return (
    <div class="problem" role="alert">
      <p>
        <b>{problem.title}</b> {problem.detail}
      </p>
      {onAgain && (
        <button type="button" class="tool" onClick={onAgain}>
          {t().history.tryAgain}
        </button>
      )}
    </div>
  );
}
