import { count, percent, span, timeZone } from "../core/format";
import type { Model, Stats } from "../core/model";
import { isCalendar, RANGES } from "../core/ranges";
import { t } from "../core/language";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

export function Figures({ model, dashboard }: Props) {
  const { ranges, figures: names } = t().live;
  return (
    <section class="panel figures" aria-labelledby="figures-title">
      <div class="panel-head">
        <h2
          id="figures-title"
          class="panel-title"
          title={isCalendar(model.range) ? names.daysOf(timeZone(model.zone)) : ""}
        >
          {ranges[model.range].title}
        </h2>
        <div class="segments" role="group" aria-label={names.period}>
          {RANGES.map((range) => (
            <button
              key={range}
              type="button"
              aria-pressed={range === model.range}
              onClick={() => dashboard.prefer({ range })}
            >
              {ranges[range].short}
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
  const names = t().live.figures;
  return [
    [names.sessions, show(stats?.sessions, count)],
    [names.pages, show(stats?.pages, count)],
    [names.calls, show(stats?.api_calls, count)],
    [names.visit, show(stats?.median_duration_ms, span)],
    [names.bounce, show(stats?.bounce_rate, percent)],
    [names.bots, show(stats?.bots, count)],
  ];
}
