import { FirstRun, FirstEventNote } from "./first_run";
import { SessionTable } from "./session_table";
import { count, plural } from "../core/format";
import { isFiltering } from "../core/filters";
import { t } from "../core/language";
import type { Model } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
  readonly now: number;
}

export function List({ model, dashboard, now }: Props) {
  const isEmpty = model.shown.length === 0;
  return (
    <section class="panel list" id="sessions" aria-labelledby="list-title">
      <div class="panel-head list-head">
        <h2 id="list-title" class="panel-title">
          {t().live.sessions} <span class="tally">{count(model.matching)}</span>
        </h2>
      </div>
      <FirstEventNote isEmpty={isNew(model)} />
      {isEmpty ? (
        <Nothing model={model} dashboard={dashboard} />
      ) : (
        <>
          <SessionTable model={model} dashboard={dashboard} now={now} />
          <More model={model} dashboard={dashboard} />
        </>
      )}
    </section>
  );
}

/** Nothing has ever happened here, as far as anybody knows. */
function isNew({ live, filters, earlier }: Model): boolean {
  const isAsking = earlier.state === "loading" || live.counts === null;
  return live.book.size === 0 && !isFiltering(filters) && !isAsking;
}

function More({ model, dashboard }: Omit<Props, "now">) {
  const rest = model.matching - model.shown.length;
  const { state } = model.earlier;
  const { live } = t();
  if (rest <= 0 && state === "end") return <p class="more quiet">{live.allOfThem}</p>;
  return (
    <p class="more">
      <button type="button" disabled={state === "loading"} onClick={() => dashboard.showMore()}>
        {state === "loading" ? live.loading : live.earlier}
      </button>
      <span class="quiet">
        {state === "failed"
          ? live.noAnswer
          : rest > 0 && live.moreKnown(plural(rest, ...live.more))}
      </span>
    </p>
  );
}

function Nothing({ model, dashboard }: Omit<Props, "now">) {
  const { live } = t();
  if (isFiltering(model.filters)) {
    return (
      <div class="nothing">
        <p>{model.earlier.state === "loading" ? live.searching : live.noMatch}</p>
        <button type="button" class="primary" onClick={() => dashboard.clearFilters()}>
          {live.clearFilters}
        </button>
      </div>
    );
  }
  if (!isNew(model)) return <div class="nothing quiet">{live.loadingSessions}</div>;
  return <FirstRun />;
}
