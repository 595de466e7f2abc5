import { Overview } from "./overview";
import { RangePicker } from "./range_picker";
import { Ranking } from "./ranking";
import { Sessions } from "./sessions";
import { useScope, useView } from "./use_view";
import type { Grouping } from "../../core/groupings";
import { t } from "../../core/language";
import { FilterBar } from "../../view/filter_bar";
import type { PageProps } from "../../view/lazy";
import { SavedViews } from "../../view/saved_views";
import "../../styles/history.css";

/** Of a period that is not over, the numbers follow this often. */
const REFRESH_MS = 30_000;

/** The same questions as on the live page, of any days. */
export function Page({ dashboard }: PageProps) {
  const [view, change] = useView(dashboard);
  const scope = useScope(dashboard, view);
  const [left, right] = view.tables;
  const group = (tables: readonly [Grouping, Grouping]) => change({ tables });
  const refreshMs = dashboard.now() < scope.instants.to ? REFRESH_MS : null;
  const shared = { scope, compare: view.compare, refreshMs };
  return (
    <main class="history">
      <div class="history-head">
        <RangePicker view={view} dashboard={dashboard} onChange={change} />
        <label class="check tool">
          <input
            type="checkbox"
            checked={view.withBots}
            onChange={(event) => change({ withBots: event.currentTarget.checked })}
          />
          {t().history.withBots}
        </label>
        <FilterBar model={dashboard.model} dashboard={dashboard} />
      </div>
      <SavedViews dashboard={dashboard} />
      <Overview {...{ scope, view, dashboard, refreshMs }} onChange={change} />
      <div class="rankings">
        <Ranking
          id="ranking-left"
          grouping={left}
          {...shared}
          onGroup={(grouping) => group([grouping, right])}
        />
        <Ranking
          id="ranking-right"
          grouping={right}
          {...shared}
          onGroup={(grouping) => group([left, grouping])}
        />
      </div>
      <Sessions scope={scope} view={view} dashboard={dashboard} onChange={change} />
    </main>
  );
}
