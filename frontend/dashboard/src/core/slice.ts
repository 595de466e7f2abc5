// Which rows of a long list are in the document.

export interface Placed {
  readonly id: string;
  readonly index: number;
}

/** `count` rows from `first` on, and the held one wherever it stands, in the list's order. */
export function rendered(
  ids: readonly string[],
  first: number,
  count: number,
  held: string | null,
): Placed[] {
  const end = Math.min(ids.length, first + count);
  const rows: Placed[] = [];
  for (let index = Math.max(0, first); index < end; index++) rows.push({ id: ids[index]!, index });
  const at = held === null ? -1 : ids.indexOf(held);
  if (at < 0 || (at >= first && at < end)) return rows;
  const one = { id: held!, index: at };
  return at < first ? [one, ...rows] : [...rows, one];
}

/** So many are always there: a screen reader may get to the list before the screen does. */
const LEAST = 12;

/**
 * The first row to draw and how many, for a list that begins `above` px over the screen's top
 * (negative: below it). Some more on each side, so that scrolling does not show gaps.
 */
export function windowOf(above: number, screen: number, height: number, spare: number) {
  const first = Math.max(0, Math.floor(above / height) - spare);
  const last = Math.ceil((above + screen) / height) + spare;
  return { first, count: Math.max(LEAST, last - first) };
}
