import { Calendar } from "./calendar";
import { Disclosure } from "./disclosure";
import { ZonePicker } from "./zone_picker";
import { dayAt, type Days } from "../../core/calendar";
import { daysText } from "../../core/dates";
import { timeZone } from "../../core/format";
import type { View } from "../../core/history_view";
import { t } from "../../core/language";
import { daysOf, isPreset, PRESETS } from "../../core/period";
import type { Dashboard } from "../../shell/dashboard";

interface Props {
  readonly view: View;
  readonly dashboard: Dashboard;
  readonly onChange: (part: Partial<View>) => void;
}

/** Which days are shown, of which place, and whether the days before are, too. */
export function RangePicker({ view, dashboard, onChange }: Props) {
  const zone = timeZone(dashboard.model.zone);
  const now = dashboard.now();
  const days = daysOf(view.period, now, zone);
  const told = t().history;
  return (
    <div class="range">
      <div class="segments" role="group" aria-label={told.period}>
        <button type="button" aria-pressed={false} onClick={() => dashboard.go("live")}>
          {told.live}
        </button>
        {PRESETS.map((period) => (
          <button
            key={period}
            type="button"
            aria-pressed={period === view.period}
            onClick={() => onChange({ period })}
          >
            {told.presets[period]}
          </button>
        ))}
      </div>
      <Custom days={days} view={view} today={dayAt(now, zone)} onChange={onChange} />
      <label class="check tool">
        <input
          type="checkbox"
          checked={view.compare}
          onChange={(event) => onChange({ compare: event.currentTarget.checked })}
        />
        {told.compare}
      </label>
      <ZonePicker dashboard={dashboard} />
    </div>
  );
}

interface CustomProps {
  readonly days: Days;
  readonly view: View;
  readonly today: string;
  readonly onChange: (part: Partial<View>) => void;
}

function Custom({ days, view, today, onChange }: CustomProps) {
  const isChosen = !isPreset(view.period);
  return (
    <Disclosure
      class={isChosen ? "is-chosen" : ""}
      label={
        <>
          <span class="visually-hidden">{t().history.chooseDays} </span>
          {daysText(days)}
        </>
      }
    >
      {(close) => (
        <Calendar
          days={days}
          today={today}
          onChoose={(period) => {
            onChange({ period });
            close();
          }}
        />
      )}
    </Disclosure>
  );
}
