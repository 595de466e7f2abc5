import { useMemo } from "preact/hooks";
import { Chart } from "./chart";
import { ChartTable } from "./chart_table";
import { Notes } from "./notes";
import { ProblemNote } from "../../view/problem";
import type { Series } from "./series";
import { Tiles } from "./tiles";
import { useAnswer } from "../../view/use_answer";
import { pinnedBuckets, type Annotation } from "../../core/annotations";
import { daysIn } from "../../core/dates";
import { seriesPath, type Scope } from "../../core/history_query";
import type { View } from "../../core/history_view";
import { t } from "../../core/language";
import type { Dashboard } from "../../shell/dashboard";

interface Props {
  readonly scope: Scope;
  readonly view: View;
  readonly dashboard: Dashboard;
  readonly refreshMs: number | null;
  readonly onChange: (part: Partial<View>) => void;
}

/** The period's numbers, one of them drawn, and what people noted about its days. */
export function Overview({ scope, view, dashboard, refreshMs, onChange }: Props) {
  const now = dashboard.now();
  const { from, to } = scope.instants;
  const asked = useAnswer<Series>(seriesPath(scope, view.compare), refreshMs);
  const { first, last } = daysIn(from, to, scope.timeZone);
  const pinned = useAnswer<{ items: Annotation[] }>(`/annotations?from=${first}&to=${last}`);
  const notes = pinned.answer?.items ?? [];
  const series = asked.answer;
  const buckets = useMemo(
    () => new Set(series && pinnedIn(series, notes)),
    [series, pinned.answer],
  );
  return (
    <section class="panel overview" aria-busy={asked.isLoading} data-testid="overview">
      <h2 class="visually-hidden">{t().history.overview}</h2>
      <Tiles series={series} measure={view.measure} onChoose={(measure) => onChange({ measure })} />
      {asked.problem && <ProblemNote problem={asked.problem} onAgain={asked.again} />}
      {series === null && !asked.problem && <p class="quiet plot-empty">{t().history.loading}</p>}
      {series && (
        <div class={asked.isLoading ? "is-old" : ""}>
          {series.current.total.sessions === 0 && <p class="quiet">{t().history.noSessions}</p>}
          <Chart series={series} measure={view.measure} now={now} pinned={buckets} />
          <ChartTable series={series} measure={view.measure} />
        </div>
      )}
      <Notes
        notes={notes}
        day={last}
        mayWrite={dashboard.model.standing?.scopes.includes("admin") ?? false}
        onChange={pinned.again}
      />
    </section>
  );
}

function pinnedIn({ current }: Series, notes: readonly Annotation[]): number[] {
  const labels = current.points.map(({ label }) => label);
  return pinnedBuckets(notes, labels).filter((bucket) => bucket >= 0);
}
