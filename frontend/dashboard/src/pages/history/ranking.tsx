import { useState } from "preact/hooks";
import { GroupingPicker } from "./grouping_picker";
import { ProblemNote } from "../../view/problem";
import { RankingTable } from "./ranking_table";
import { useAnswer } from "../../view/use_answer";
import { valueText } from "./values";
import {
  found,
  groupsOf,
  type Grouping,
  type Ranking as Answer,
  type TableOrder,
} from "../../core/groupings";
import { count } from "../../core/format";
import { MOST_GROUPS, rankingPath, type RankingSort, type Scope } from "../../core/history_query";
import { t } from "../../core/language";
import { byMeasure } from "../../core/measures";

/** Rows at first; the reader may ask for more. */
const FIRST_GROUPS = 10;

interface Props {
  readonly id: string;
  readonly grouping: Grouping;
  readonly scope: Scope;
  readonly compare: boolean;
  /** How often to ask again; null for what does not change any more. */
  readonly refreshMs: number | null;
  readonly onGroup: (grouping: Grouping) => void;
}

/** Sessions by one dimension or two: sorted, searched, and the way into each value. */
export function Ranking({ id, grouping, scope, compare, refreshMs, onGroup }: Props) {
  const [order, sort] = useState<TableOrder>("visitors");
  const [words, search] = useState("");
  const [shown, show] = useState(FIRST_GROUPS);
  const asked = useAnswer<Answer>(
    rankingPath(scope, grouping, serverSort(order), compare),
    refreshMs,
  );
  const groups = asked.answer ? groupsOf(asked.answer) : [];
  // While another question is open, the answer is still that to the one before.
  const isOfGrouping = groups.every(({ values }) => values.length === grouping.length);
  const read = (value: string | null, place: number) => valueText(grouping[place]!, value);
  const ordered = isOfGrouping ? byMeasure(found(groups, words, read), order) : [];
  const told = t().history;
  return (
    <section class="panel ranking" aria-labelledby={`${id}-title`} aria-busy={asked.isLoading}>
      <h2 id={`${id}-title`} class="visually-hidden">
        {grouping.map((each) => told.dimensions[each]).join(" × ")}
      </h2>
      <div class="ranking-head">
        <GroupingPicker grouping={grouping} onChange={onGroup} />
        <input
          type="search"
          class="small-search"
          placeholder={told.search}
          aria-label={told.search}
          value={words}
          onInput={(event) => search(event.currentTarget.value)}
        />
      </div>
      {asked.problem && <ProblemNote problem={asked.problem} onAgain={asked.again} />}
      <div class={asked.isLoading ? "is-old" : ""}>
        {ordered.length > 0 && (
          <RankingTable
            groups={ordered.slice(0, shown)}
            grouping={grouping}
            order={order}
            filters={scope.filters}
            onSort={sort}
          />
        )}
      </div>
      {ordered.length === 0 && !asked.problem && (
        <p class="quiet">{asked.isLoading ? told.loading : told.nothing}</p>
      )}
      <p class="ranking-foot quiet">
        {ordered.length > shown && (
          <button type="button" class="link-button" onClick={() => show(shown + 40)}>
            {told.moreGroups(count(ordered.length - shown))}
          </button>
        )}
        {asked.answer?.more && told.largestOnly(count(MOST_GROUPS))}
      </p>
    </section>
  );
}

/** What the API cannot sort by is sorted here, of the values with the most visitors. */
function serverSort(order: TableOrder): RankingSort {
  return order === "bounces" || order === "duration" ? "visitors" : order;
}
