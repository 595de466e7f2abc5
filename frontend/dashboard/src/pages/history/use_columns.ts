import { useState } from "preact/hooks";
import { columnsFrom, type Column } from "../../core/columns";

const KEY = "clickwake.columns";

/** The columns that this browser's reader chose. Storage may be forbidden: they hold for now. */
export function useColumns(): [readonly Column[], (columns: readonly Column[]) => void] {
  const [columns, show] = useState(read);
  const choose = (chosen: readonly Column[]) => {
    show(chosen);
    try {
      localStorage.setItem(KEY, JSON.stringify(chosen));
    } catch {
      // The choice holds for this visit.
    }
  };
  return [columns, choose];
}

function read(): readonly Column[] {
  try {
    return columnsFrom(JSON.parse(localStorage.getItem(KEY) ?? "null"));
  } catch {
    return columnsFrom(null);
  }
}
