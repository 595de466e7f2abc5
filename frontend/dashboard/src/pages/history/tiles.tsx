import type { RangeSeries, Series } from "./series";
import { percent } from "../../core/format";
import { t } from "../../core/language";
import { change, isGoodNews, measured, MEASURES, valueOf, type Measure } from "../../core/measures";

interface Props {
  readonly series: Series | null;
  readonly measure: Measure;
  readonly onChoose: (measure: Measure) => void;
}

/** The period's numbers; the one that is pressed is drawn below. */
export function Tiles({ series, measure, onChoose }: Props) {
  const told = t().history;
  return (
    <div class="tiles" role="group" aria-label={told.measure}>
      {MEASURES.map((each) => (
        <button
          key={each}
          type="button"
          class="tile"
          aria-pressed={each === measure}
          onClick={() => onChoose(each)}
        >
          <span class="tile-name">{told.measures[each]}</span>
          <b>{series ? total(series.current, each) : "–"}</b>
          {series?.previous && (
            <Change current={series.current} previous={series.previous} measure={each} />
          )}
        </button>
      ))}
    </div>
  );
}

function total(range: RangeSeries, measure: Measure): string {
  return measured(valueOf(range.total, measure), measure);
}

interface ChangeProps {
  readonly current: RangeSeries;
  readonly previous: RangeSeries;
  readonly measure: Measure;
}

function Change({ current, previous, measure }: ChangeProps) {
  const [now, before] = [current, previous].map(({ total }) => valueOf(total, measure));
  const share = change(now ?? null, before ?? null);
  return (
    <small class="tile-change">
      {share !== null && <Share measure={measure} share={share} />}
      {t().history.before(total(previous, measure))}
    </small>
  );
}

/** The sign says what the colour says. */
export function Share({ measure, share }: { readonly measure: Measure; readonly share: number }) {
  const isGood = isGoodNews(measure, share);
  const kind = isGood === null ? "is-same" : isGood ? "is-good" : "is-bad";
  const sign = share > 0 ? "+" : share < 0 ? "−" : "±";
  return (
    <span class={`change ${kind}`}>
      {sign}
      {percent(Math.abs(share))}
    </span>
  );
}
