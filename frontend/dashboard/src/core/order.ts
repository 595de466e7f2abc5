// In which order rows stand, when some of them must not move.

/** A row that stays where it is: it is under the pointer or has the focus. */
export interface Pin {
  readonly id: string;
  readonly index: number;
}

/** `ids` in their order, but each pinned id at its index (or last, if there are too few). */
export function withPins(ids: readonly string[], pins: readonly Pin[]): string[] {
  const present = pins.filter((pin) => ids.includes(pin.id));
  const held = new Set(present.map((pin) => pin.id));
  const arranged = ids.filter((id) => !held.has(id));
  for (const pin of [...present].sort((a, b) => a.index - b.index)) {
    arranged.splice(pin.index, 0, pin.id);
  }
  return arranged;
}

/** Where the pinned ids stand in the rows shown now. */
export function pinsAt(shown: readonly string[], ids: Iterable<string | null>): Pin[] {
  const unique = new Set([...ids].filter((id) => id !== null));
  return [...unique]
    .map((id) => ({ id, index: shown.indexOf(id) }))
    .filter((pin) => pin.index >= 0);
}

/** The neighbour to move to; the first row when there is no current one. */
export function neighbour(
  shown: readonly string[],
  current: string | null,
  step: 1 | -1,
): string | null {
  const at = current === null ? -1 : shown.indexOf(current);
  if (at < 0) return shown[0] ?? null;
  return shown[Math.min(Math.max(at + step, 0), shown.length - 1)] ?? null;
}
