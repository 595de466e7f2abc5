import { EmptyState } from "./empty";
import { Row, rowMoment } from "./row";
import { Toolbar } from "./toolbar";
import { count, plural } from "../core/format";
import { isFiltering } from "../core/filters";
import { scene, type Model } from "../core/model";
import { isLeaving, rowsToward } from "../core/rows";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
  readonly now: number;
}

const COLUMNS = ["Place", "Page", "Source", "Device", "Requests", "Duration", "Status"];

export function List({ model, dashboard, now }: Props) {
  return (
    <section class="panel list" id="sessions" aria-labelledby="list-title">
      <div class="panel-head list-head">
        <h2 id="list-title" class="panel-title">
          Sessions <span class="tally">{count(model.matching)}</span>
        </h2>
        <Toolbar model={model} dashboard={dashboard} />
      </div>
      {model.shown.length > 0 ? (
        <>
          <Table model={model} dashboard={dashboard} now={now} />
          <More model={model} dashboard={dashboard} />
        </>
      ) : (
        <Nothing model={model} dashboard={dashboard} />
      )}
    </section>
  );
}

function Table({ model, dashboard, now }: Props) {
  return (
    <div class="table" role="table" aria-labelledby="list-title" aria-rowcount={model.matching + 1}>
      <div class="thead" role="rowgroup">
        <div class="row row-head" role="row">
          {COLUMNS.map((name) => (
            <span key={name} role="columnheader" class={`cell head-${name.toLowerCase()}`}>
              {name}
            </span>
          ))}
        </div>
      </div>
      <Rows model={model} dashboard={dashboard} now={now} />
    </div>
  );
}

/** Tells the model which row must not move: the one under the mouse, and the one in focus. */
function Rows({ model, dashboard, now }: Props) {
  const { book } = scene(model);
  const { lit } = model.effects;
  return (
    <div
      class="tbody"
      role="rowgroup"
      data-testid="sessions"
      onPointerOver={(event) =>
        dashboard.note({ pointed: event.pointerType === "mouse" ? idAt(event.target) : null })
      }
      onPointerLeave={() => dashboard.note({ pointed: null })}
      onFocusIn={(event) => dashboard.note({ focused: idAt(event.target) })}
      onFocusOut={() => dashboard.note({ focused: null })}
    >
      {model.shown.map((id) => {
        const session = book.get(id);
        if (!session) return null;
        return (
          <Row
            key={id}
            session={session}
            isLeaving={isLeaving(model, id)}
            toward={rowsToward(model, id)}
            isLit={lit.has(id)}
            isOpened={model.detail?.id === id}
            {...rowMoment(session, now, model.zone)}
          />
        );
      })}
    </div>
  );
}

function idAt(target: EventTarget | null): string | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-session]") : null;
  return row?.dataset["session"] ?? null;
}

function More({ model, dashboard }: Omit<Props, "now">) {
  const rest = model.matching - model.shown.length;
  const { state } = model.earlier;
  if (rest <= 0 && state === "end") return <p class="more quiet">That is all of them.</p>;
  return (
    <p class="more">
      <button type="button" disabled={state === "loading"} onClick={() => dashboard.showMore()}>
        {state === "loading" ? "Loading…" : "Show earlier sessions"}
      </button>
      <span class="quiet">
        {state === "failed"
          ? "The history did not answer; try again."
          : rest > 0 && `${plural(rest, "more session")} known`}
      </span>
    </p>
  );
}

function Nothing({ model, dashboard }: Omit<Props, "now">) {
  if (isFiltering(model.filters)) {
    return (
      <div class="nothing">
        <p>
          {model.earlier.state === "loading"
            ? "Looking through the history…"
            : "No session matches these filters."}
        </p>
        <button type="button" class="primary" onClick={() => dashboard.clearFilters()}>
          Clear filters
        </button>
      </div>
    );
  }
  if (!model.live.counts || model.earlier.state === "loading") {
    return <div class="nothing quiet">Loading the sessions…</div>;
  }
  return <EmptyState />;
}
