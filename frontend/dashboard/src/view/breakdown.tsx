import { useState } from "preact/hooks";
import { Value } from "./value";
import { tallied, type Tally } from "../core/crowd";
import { choiceOf, isFiltering, type Filters } from "../core/filters";
import { count } from "../core/format";
import { t } from "../core/language";
import type { SessionUpdate } from "../contracts.gen";

const ROWS = 8;
const TABS = ["exit", "entry", "referrer_domain", "channel", "device", "browser"] as const;
type Tab = (typeof TABS)[number];

interface Props {
  readonly here: readonly SessionUpdate[];
  readonly filters: Filters;
}

export function Breakdown({ here, filters }: Props) {
  const [tab, show] = useState<Tab>("exit");
  const { live } = t();
  const lines = tallied(here, tab);
  return (
    <section class="panel breakdown" aria-labelledby="breakdown-title" data-testid="breakdown">
      <h2 id="breakdown-title" class="visually-hidden">
        {live.breakdown}
      </h2>
      <div class="tabs" role="group" aria-label={live.breakdownBy}>
        {TABS.map((each) => (
          <button key={each} type="button" aria-pressed={each === tab} onClick={() => show(each)}>
            {live.tabs[each]}
          </button>
        ))}
      </div>
      {lines.length === 0 ? (
        <p class="quiet">{isFiltering(filters) ? live.nobodyMatches : live.nobody}</p>
      ) : (
        <Lines tab={tab} lines={lines} filters={filters} />
      )}
    </section>
  );
}

interface LinesProps {
  readonly tab: Tab;
  readonly lines: readonly Tally[];
  readonly filters: Filters;
}

function Lines({ tab, lines, filters }: LinesProps) {
  const { live } = t();
  const shown = lines.slice(0, ROWS);
  const most = Math.max(1, ...shown.map((one) => one.sessions));
  return (
    <>
      <table class="bars-table">
        <caption class="visually-hidden">{`${live.breakdownBy}: ${live.tabs[tab]}`}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{live.tabs[tab]}</th>
            <th scope="col">{live.open}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ value, sessions }) => (
            <tr key={value}>
              <th scope="row">
                <div class="bar-fill" style={{ width: `${(sessions / most) * 100}%` }} />
                <Value
                  name={tab}
                  value={value}
                  class="bar-label"
                  isChosen={choiceOf(filters, tab, value) === "wanted"}
                />
              </th>
              <td class="number">{count(sessions)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > ROWS && <p class="quiet">{live.andMore(count(lines.length - ROWS))}</p>}
    </>
  );
}
