// What went wrong with a question, as RFC 9457 tells it.

export interface Problem {
  /** HTTP's; 0 when no answer came. */
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

/** A problem from an answer's body; `unknown` is what to say when the body says nothing. */
export function problemOf(
  status: number,
  body: unknown,
  unknown: Omit<Problem, "status">,
): Problem {
  const given = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const { title = unknown.title, detail = unknown.detail, errors } = given;
  return { status, title: String(title), detail: [String(detail), ...wrongs(errors)].join(" ") };
}

/** Each parameter that was wrong, and why. */
function wrongs(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map(({ parameter, detail }) => `${parameter}: ${detail}.`);
}

/** Whether the same question may be answered a little later. */
export function isPassing({ status }: Problem): boolean {
  return status === 0 || status === 429 || status >= 500;
}
