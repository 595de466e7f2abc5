import { plural } from "../core/format";
import type { Model, Returned } from "../core/model";

export const RETURNED_MS = 10_000;

/** Says for some seconds what the reader missed while the connection was away. */
export function ReturnedNote({ model }: { readonly model: Model }) {
  const { returned } = model;
  if (returned === null || Date.now() - returned.at > RETURNED_MS) return null;
  return (
    <span class="returned" data-testid="returned">
      {meaning(returned)}
    </span>
  );
}

function meaning({ missed }: Returned): string {
  if (missed === null) return "Back, with the newest sessions: more was missed than could be told.";
  if (missed === 0) return "Back; nothing was missed.";
  return `Back; ${plural(missed, "session")} changed meanwhile, all shown now.`;
}
