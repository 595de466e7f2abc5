import { Share } from "./tiles";
import { filterValue, valueText } from "./values";
import { Flag } from "../../view/flag";
import { Value } from "../../view/value";
import { choiceOf, type Filters } from "../../core/filters";
import type { Dimension, Group, Grouping, TableOrder } from "../../core/groupings";
import { t } from "../../core/language";
import { change, measured, MEASURES, valueOf, type Measure } from "../../core/measures";

interface Props {
  readonly groups: readonly Group[];
  readonly grouping: Grouping;
  readonly order: TableOrder;
  readonly filters: Filters;
  readonly onSort: (order: TableOrder) => void;
}

export function RankingTable({ groups, grouping, order, filters, onSort }: Props) {
  const told = t().history;
  const most = Math.max(1, ...groups.map(({ metrics }) => valueOf(metrics, order) ?? 0));
  const title = grouping.map((each) => told.dimensions[each]).join(", ");
  return (
    <div class="table-frame">
      <table class="plain-table ranking-table">
        <caption class="visually-hidden">{told.sessionsBy(title)}</caption>
        <thead>
          <tr>
            {grouping.map((each) => (
              <th key={each} scope="col">
                {told.dimensions[each]}
              </th>
            ))}
            {MEASURES.map((each) => (
              <Heading key={each} measure={each} isOrder={each === order} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <Line
              key={JSON.stringify(group.values)}
              group={group}
              grouping={grouping}
              share={(valueOf(group.metrics, order) ?? 0) / most}
              filters={filters}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadingProps {
  readonly measure: Measure;
  readonly isOrder: boolean;
  readonly onSort: (order: TableOrder) => void;
}

function Heading({ measure, isOrder, onSort }: HeadingProps) {
  return (
    <th scope="col" class={`number column-${measure}`} aria-sort={isOrder ? "descending" : "none"}>
      <button type="button" class="sort" onClick={() => onSort(measure)}>
        {t().history.shortMeasures[measure]}
      </button>
    </th>
  );
}

interface LineProps {
  readonly group: Group;
  readonly grouping: Grouping;
  /** How long the bar behind the name is, of 1. */
  readonly share: number;
  readonly filters: Filters;
}

function Line({ group, grouping, share, filters }: LineProps) {
  const { values, metrics, previous } = group;
  return (
    <tr>
      {values.map((value, place) => (
        <td key={place} class="ranking-value">
          {place === 0 && <div class="bar-fill" style={{ width: `${share * 100}%` }} />}
          {grouping[place] === "country" && <Flag country={value} />}
          <ValueLink dimension={grouping[place]!} value={value} filters={filters} />
        </td>
      ))}
      {MEASURES.map((each) => (
        <td key={each} class={`number column-${each}`}>
          {measured(valueOf(metrics, each), each)}
          {each === "visitors" && previous && (
            <Before now={metrics.visitors} before={previous.visitors} />
          )}
        </td>
      ))}
    </tr>
  );
}

interface ValueProps {
  readonly dimension: Dimension;
  readonly value: string | null;
  readonly filters: Filters;
}

/** A value that a press filters by, if there is a filter for it. */
function ValueLink({ dimension, value, filters }: ValueProps) {
  const filter = filterValue(dimension, value);
  if (filter === null) return <bdi class="value-text">{valueText(dimension, value)}</bdi>;
  return <Value {...filter} isChosen={choiceOf(filters, filter.name, filter.value) === "wanted"} />;
}

function Before({ now, before }: { readonly now: number; readonly before: number }) {
  const share = change(now, before);
  return (
    <small class="ranking-change" title={t().history.before(measured(before, "visitors"))}>
      {share === null ? t().history.fresh : <Share measure="visitors" share={share} />}
    </small>
  );
}
