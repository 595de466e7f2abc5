import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Cell } from "./cells";
import type { Row, Rows } from "./use_sessions";
import { memo } from "../../view/memo";
import { direction, isOrder, nextSort, type Column, type SessionSort } from "../../core/columns";
import type { Zone } from "../../core/format";
import { t } from "../../core/language";
import { isNearEnd, rowWindow } from "../../core/row_window";
import { sessionLink } from "../../shell/address";

/** Fixed, so that the place of each row is known without drawing those before. Same in the CSS. */
const ROW_HEIGHT = 38;

interface Props {
  readonly rows: Rows;
  readonly columns: readonly Column[];
  readonly sort: SessionSort;
  readonly zone: Zone;
  readonly onSort: (sort: SessionSort) => void;
  /** The end of the rows comes into sight. */
  readonly onEnd: () => void;
}

/** A table of which only the rows in sight are in the document. */
export function SessionTable({ rows, columns, sort, zone, onSort, onEnd }: Props) {
  const [frame, { top, height }, onScroll] = useScroll(sort);
  const { items } = rows;
  const inSight = rowWindow(top, height, ROW_HEIGHT, items.length);
  const { first, after, above, below } = inSight;
  useKeptFocus(frame);
  useEffect(() => {
    if (items.length > 0 && isNearEnd(inSight, items.length)) onEnd();
  });
  const told = t().history;
  return (
    <div
      ref={frame}
      class={`table-frame sessions-frame ${rows.state === "loading" ? "is-old" : ""}`}
      aria-busy={rows.state === "loading"}
      tabIndex={0}
      role="region"
      aria-label={told.sessions}
      data-testid="history-sessions"
      onScroll={onScroll}
      onKeyDown={moveFocus}
    >
      <table class="plain-table sessions-table" aria-rowcount={(rows.total ?? items.length) + 1}>
        <caption class="visually-hidden">{told.sessionsCaption}</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={above} columns={columns.length} />
          {items.slice(first, after).map((row, index) => (
            <SessionRow
              key={row.session_id}
              row={row}
              number={first + index + 2}
              columns={columns}
              zone={zone}
            />
          ))}
          <Spacer height={below} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** Where the frame is scrolled to; back to the top when `list` is another one. */
function useScroll(list: string) {
  const frame = useRef<HTMLDivElement>(null);
  const [place, set] = useState({ top: 0, height: 600 });
  const read = () => {
    const { scrollTop, clientHeight } = frame.current!;
    set((before) =>
      before.top === scrollTop && before.height === clientHeight
        ? before
        : { top: scrollTop, height: clientHeight },
    );
  };
  useLayoutEffect(() => {
    frame.current!.scrollTop = 0;
    read();
  }, [list]);
  return [frame, place, read] as const;
}

/** The row in focus may be scrolled out of the document: then the frame has the focus. */
function useKeptFocus(frame: RefObject<HTMLDivElement | null>): void {
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (hadFocus.current && isLost) frame.current!.focus({ preventScroll: true });
    hadFocus.current = frame.current!.contains(document.activeElement);
  });
}

/** The arrows lead from row to row; those below come into the document as the focus nears them. */
function moveFocus(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const link = (event.target as HTMLElement).closest<HTMLElement>("a[data-number]");
  if (step === undefined || link === null) return;
  const number = Number(link.dataset["number"]) + step;
  const next = link.closest("table")!.querySelector<HTMLElement>(`a[data-number="${number}"]`);
  event.preventDefault();
  next?.focus();
}

interface HeadingProps {
  readonly column: Column;
  readonly sort: SessionSort;
  readonly onSort: (sort: SessionSort) => void;
}

function Heading({ column, sort, onSort }: HeadingProps) {
  const name = t().history.columns[column];
  if (!isOrder(column)) {
    return (
      <th scope="col" class={`cell-${column}`}>
        {name}
      </th>
    );
  }
  return (
    <th scope="col" class={`cell-${column}`} aria-sort={direction(sort, column)}>
      <button type="button" class="sort" onClick={() => onSort(nextSort(sort, column))}>
        {name}
      </button>
    </th>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    <tr class="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

interface RowProps {
  readonly row: Row;
  /** In the whole table, from 1, with the heading. */
  readonly number: number;
  readonly columns: readonly Column[];
  readonly zone: Zone;
}

const SessionRow = memo(function SessionRow({ row, number, columns, zone }: RowProps) {
  return (
    <tr aria-rowindex={number} data-session={row.session_id}>
      {columns.map((column, place) => (
        <td key={column} class={`cell-${column}`}>
          {place === 0 ? (
            <a href={sessionLink(row.session_id)} data-number={number}>
              <Cell column={column} row={row} zone={zone} />
            </a>
          ) : (
            <Cell column={column} row={row} zone={zone} />
          )}
        </td>
      ))}
    </tr>
  );
});
