import { useRef } from "preact/hooks";
import { Row, rowMoment } from "./row";
import { useWindow } from "./window";
import { t } from "../core/language";
import { scene, type Model } from "../core/model";
import { isLeaving, rowsToward } from "../core/rows";
import { rendered } from "../core/slice";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
  readonly now: number;
}

const COLUMNS = ["place", "page", "source", "device", "requests", "duration", "status"] as const;

export function SessionTable({ model, dashboard, now }: Props) {
  const { live } = t();
  return (
    <table class="table" role="table" aria-rowcount={model.matching + 1}>
      <caption class="visually-hidden">{live.caption}</caption>
      <thead class="thead" role="rowgroup">
        <tr class="row row-head" role="row" aria-rowindex={1}>
          {COLUMNS.map((name) => (
            <th key={name} scope="col" role="columnheader" class={`cell head-${name}`}>
              {live.columns[name]}
            </th>
          ))}
        </tr>
      </thead>
      <Rows model={model} dashboard={dashboard} now={now} />
    </table>
  );
}

/**
 * Only the rows on the screen, and the one in focus, are in the document.
 *
 * Tells the model which row must not move: the one under the mouse, and the one in focus.
 */
function Rows({ model, dashboard, now }: Props) {
  const { book } = scene(model);
  const { shown } = model;
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, count, height } = useWindow(body, shown.length);
  const rows = rendered(shown, first, count, model.focused);
  return (
    <tbody
      ref={body}
      class="tbody"
      role="rowgroup"
      data-testid="sessions"
      style={{ height: `${shown.length * height}px` }}
      onPointerOver={(event) =>
        dashboard.note({ pointed: event.pointerType === "mouse" ? idAt(event.target) : null })
      }
      onPointerLeave={() => dashboard.note({ pointed: null })}
      onFocusIn={(event) => dashboard.note({ focused: idAt(event.target) })}
      onFocusOut={() => dashboard.note({ focused: null })}
    >
      {rows.map(({ id, index }) => {
        const session = book.get(id);
        if (!session) return null;
        return (
          <Row
            key={id}
            session={session}
            index={index}
            isLeaving={isLeaving(model, id)}
            toward={rowsToward(model, id)}
            isLit={model.effects.lit.has(id)}
            isOpened={model.detail?.id === id}
            {...rowMoment(session, now, model.zone)}
          />
        );
      })}
    </tbody>
  );
}

function idAt(target: EventTarget | null): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-session]") : null;
  return row?.dataset["session"] ?? null;
}
