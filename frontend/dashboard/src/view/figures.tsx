import { count, percent, span, timeZone } from "../core/format";
import type { Model, Stats } from "../core/model";
import { isCalendar, RANGES } from "../core/ranges";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

export function Figures({ model, dashboard }: Props) {
  return (
    <section class="panel figures" aria-labelledby="figures-title">
      <div class="panel-head">
        <h2
          id="figures-title"
          class="panel-title"
          title={isCalendar(model.range) ? `Days of ${timeZone(model.zone)}` : ""}
        >
          {RANGES.find(({ range }) => range === model.range)!.title}
        </h2>
        <div class="segments" role="group" aria-label="Period">
          {RANGES.map(({ range, short }) => (
            <button
              key={range}
              type="button"
              aria-pressed={range === model.range}
              onClick={() => dashboard.prefer({ range })}
            >
              {short}
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
