import { count, percent, span } from "../core/format";
import type { Model, Range, Stats } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

const RANGES: readonly (readonly [Range, string, string])[] = [
  ["hour", "1 h", "last hour"],
  ["day", "24 h", "last 24 hours"],
  ["week", "7 d", "last 7 days"],
];

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

export function Figures({ model, dashboard }: Props) {
  return (
    <section class="panel figures" aria-labelledby="figures-title">
      <div class="panel-head">
        <h2 id="figures-title" class="panel-title">
          In the {RANGES.find(([range]) => range === model.range)![2]}
        </h2>
        <div class="segments" role="group" aria-label="Period">
          {RANGES.map(([range, name]) => (
            <button
              key={range}
              type="button"
              aria-pressed={range === model.range}
              onClick={() => dashboard.prefer({ range })}
            >
              {name}
            </button>
          ))}
        </div>
      </div>
      <dl class="figure-grid">
        {figures(model.stats).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function figures(stats: Stats | null): [string, string][] {
  const show = (value: number | null | undefined, how: (value: number) => string) =>
    value == null ? "–" : how(value);
  return [
    ["Sessions", show(stats?.sessions, count)],
    ["Pages", show(stats?.pages, count)],
    ["API calls", show(stats?.api_calls, count)],
    ["Median visit", show(stats?.median_duration_ms, span)],
    ["Bounce rate", show(stats?.bounce_rate, percent)],
    ["Bot sessions", show(stats?.bots, count)],
  ];
}
