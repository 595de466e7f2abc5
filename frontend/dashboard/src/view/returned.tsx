import { plural } from "../core/format";
import { t } from "../core/language";
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
  const { badge, live } = t();
  if (missed === null) return badge.backAnew;
  return missed === 0 ? badge.back : badge.backWith(plural(missed, ...live.session));
}
