// Which rows of a long table are in the document: those in sight, and a few around them.

export interface RowWindow {
  /** The first row's number, and the number after the last one's. */
  readonly first: number;
  readonly after: number;
  /** Pixels that stand for the rows before and after. */
  readonly above: number;
  readonly below: number;
}

export const OVERSCAN = 8;

/** The window of a table with `rows` rows of `rowHeight` px, scrolled down by `scrolled` px. */
export function rowWindow(
  scrolled: number,
  height: number,
  rowHeight: number,
  rows: number,
): RowWindow {
  const last = Math.max(0, rows - 1);
  const top = Math.min(Math.max(0, Math.floor(scrolled / rowHeight)), last);
  const first = Math.max(0, top - OVERSCAN);
  const after = Math.min(rows, top + Math.ceil(height / rowHeight) + 1 + OVERSCAN);
  return { first, after, above: first * rowHeight, below: (rows - after) * rowHeight };
}

/** Whether the end of what is known comes into sight, so that more should be asked for. */
export function isNearEnd({ after }: RowWindow, rows: number): boolean {
  return after + OVERSCAN >= rows;
}
