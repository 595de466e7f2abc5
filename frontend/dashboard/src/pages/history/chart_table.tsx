import { useState } from "preact/hooks";
import type { Point, Series } from "./series";
import { bucketText } from "../../core/dates";
import { t } from "../../core/language";
import { measured, MEASURES, valueOf, type Measure } from "../../core/measures";

interface Props {
  readonly series: Series;
  readonly measure: Measure;
}

/** All that the chart says and the measures that it does not show, as a table. */
export function ChartTable({ series, measure }: Props) {
  const [isOpen, open] = useState(false);
  const told = t().history;
  return (
    <details class="chart-table" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>{told.asTable}</summary>
      {isOpen && (
        <div class="scroll-table" tabIndex={0} role="region" aria-label={told.tableOf}>
          <table class="plain-table">
            <caption class="visually-hidden">{told.tableOf}</caption>
            <thead>
              <tr>
                <th scope="col">{told.when}</th>
                {MEASURES.map((each) => (
                  <th key={each} scope="col" class="number">
                    {told.measures[each]}
                  </th>
                ))}
                {series.previous && (
                  <th scope="col" class="number">
                    {told.measureBefore(told.measures[measure])}
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {series.current.points.map((point, index) => (
                <Line key={point.from} {...{ point, series, measure, index }} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

interface LineProps extends Props {
  readonly point: Point;
  readonly index: number;
}

function Line({ point, series, measure, index }: LineProps) {
  const before = series.previous?.points[index];
  return (
    <tr>
      <th scope="row">{bucketText(point.label, series.interval)}</th>
      {MEASURES.map((each) => (
        <td key={each} class="number">
          {measured(valueOf(point.metrics, each), each)}
        </td>
      ))}
      {series.previous && (
        <td class="number">{before ? measured(valueOf(before.metrics, measure), measure) : "–"}</td>
      )}
    </tr>
  );
}
