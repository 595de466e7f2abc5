import { Breakdown } from "./breakdown";
import { FeedPanel } from "./feed";
import { Figures } from "./figures";
import { FilterBar } from "./filter_bar";
import { Here } from "./here";
import { Ledger } from "./ledger";
import { List } from "./list";
import { Minutes } from "./minutes";
import { Places } from "./places";
import { begunByMinute, crowd, eventsOf, headcount } from "../core/crowd";
import { isFiltering } from "../core/filters";
import { scene, type Model } from "../core/model";
import { bars } from "../core/transitions";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
  /** The server's clock; while paused, of the moment when that began. */
  readonly now: number;
}

/** Every panel is drawn from one book with one set of filters, so they always agree. */
export function Live({ model, dashboard, now }: Props) {
  const { filters, zone } = model;
  const shown = scene(model);
  const here = crowd(shown.book, filters, now);
  return (
    <main class="main live">
      <FilterBar model={model} dashboard={dashboard} />
      <div class="summary">
        <Here here={headcount(shown, filters, here)} isKnown={shown.counts !== null} />
        <Minutes
          bars={bars(model, now)}
          begun={begunByMinute(shown.book, filters, now)}
          hasRequests={!isFiltering(filters)}
          zone={zone}
        />
        <Figures model={model} dashboard={dashboard} />
      </div>
      <div class="side">
        <Places here={here} filters={filters} />
        <Breakdown here={here} filters={filters} />
        <FeedPanel
          events={eventsOf(shown.feed, shown.book, filters)}
          leftOut={model.leftOut}
          zone={zone}
        />
        <Ledger model={model} now={now} />
      </div>
      <List model={model} dashboard={dashboard} now={now} />
    </main>
  );
}
