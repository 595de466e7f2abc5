// Funnels, retention and paths: one question at a time, which the address holds.
import "../../styles/pages.css";
import "../../styles/explore.css";
import { FunnelPart } from "./funnel";
import { PathsPart } from "./paths";
import { RetentionPart } from "./retention";
import {
  KINDS,
  explorationFrom,
  partOf,
  type Exploration,
  type Place,
} from "../../core/exploration";
import { timeZone } from "../../core/format";
import { t } from "../../core/language";
import type { Filters } from "../../core/filters";
import { fragment } from "../../core/route";
import type { PageProps } from "../../view/lazy";
import { PeriodPicker } from "./period";
import { FilterBar } from "../../view/filter_bar";
import { SavedViews } from "../../view/saved_views";

/** What each kind of question is drawn from, and how it is changed. */
export interface PartProps {
  readonly asked: Exploration;
  readonly filters: Filters;
  readonly place: Place;
  readonly change: (part: Partial<Exploration>) => void;
}

const PARTS = { funnel: FunnelPart, retention: RetentionPart, paths: PathsPart };

export function Page({ dashboard }: PageProps) {
  const { model } = dashboard;
  const asked = explorationFrom(model.place.part);
  const change = (part: Partial<Exploration>) =>
    dashboard.go("explore", partOf({ ...asked, ...part }));
  const Part = PARTS[asked.kind];
  const place = { zone: model.zone, name: timeZone(model.zone) };
  return (
    <main class="page explore">
      <div class="page-head">
        <h2 class="page-title">{t().pages.explore}</h2>
        <Kinds asked={asked} change={change} />
        <PeriodPicker asked={asked} change={change} />
      </div>
      <FilterBar model={model} dashboard={dashboard} />
      <SavedViews dashboard={dashboard} />
      <Part key={asked.kind} asked={asked} filters={model.filters} place={place} change={change} />
    </main>
  );
}

type KindsProps = Pick<PartProps, "asked" | "change">;

/** Links, so that each can be opened in a tab of its own. */
function Kinds({ asked, change }: KindsProps) {
  return (
    <nav class="segments" aria-label={t().explore.kindsLabel}>
      {KINDS.map((kind) => (
        <a
          key={kind}
          href={fragment({ page: "explore", part: partOf({ ...asked, kind }), session: null })}
          aria-current={kind === asked.kind ? "page" : undefined}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            change({ kind });
          }}
        >
          {t().explore.kinds[kind]}
        </a>
      ))}
    </nav>
  );
}
