import { useState } from "preact/hooks";
import { count, named, title } from "../core/format";
import type { Model, Stats } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

const ROWS = 8;

type Tab = "entry_pages" | "channels" | "browsers" | "devices" | "event_names";

interface Line {
  readonly name: string;
  readonly number: number;
}

const TABS: readonly (readonly [Tab, string])[] = [
  ["entry_pages", "Entry pages"],
  ["channels", "Channels"],
  ["browsers", "Browsers"],
  ["devices", "Devices"],
  ["event_names", "Events"],
];

const LINES: Readonly<Record<Tab, (stats: Stats) => Line[]>> = {
  entry_pages: (stats) => stats.entry_pages.map((each) => line(each.entry_page, each.sessions)),
  channels: (stats) => stats.channels.map((each) => line(each.channel, each.sessions)),
  browsers: (stats) => stats.browsers.map((each) => line(each.browser, each.sessions)),
  devices: (stats) => stats.devices.map((each) => line(each.device, each.sessions)),
  event_names: (stats) => stats.event_names.map((each) => line(each.name, each.events)),
};

const LABELS: Readonly<Record<Tab, (name: string) => string>> = {
  entry_pages: (name) => name || "API only",
  channels: title,
  browsers: named,
  devices: title,
  event_names: (name) => name,
};

function line(name: string, number: number): Line {
  return { name, number };
}

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

export function Breakdown({ model, dashboard }: Props) {
  const [tab, show] = useState<Tab>("entry_pages");
  const lines = model.stats ? LINES[tab](model.stats).slice(0, ROWS) : [];
  // Most sites name no events, and need no tab for them.
  const hasEvents = tab === "event_names" || Boolean(model.stats?.event_names.length);
  const tabs = hasEvents ? TABS : TABS.slice(0, -1);
  const choose: Partial<Record<Tab, (name: string) => void>> = {
    entry_pages: (name) => dashboard.filter({ page: name }),
    channels: (name) => dashboard.filter({ channel: name }),
  };
  return (
    <section class="panel breakdown" aria-label="Sessions by kind">
      <div class="tabs" role="group" aria-label="Sessions by">
        {tabs.map(([id, name]) => (
          <button key={id} type="button" aria-pressed={id === tab} onClick={() => show(id)}>
            {name}
          </button>
        ))}
      </div>
      {lines.length === 0 && <p class="quiet">Nothing in this period yet.</p>}
      <Lines lines={lines} label={LABELS[tab]} onChoose={choose[tab]} />
    </section>
  );
}

interface LinesProps {
  readonly lines: readonly Line[];
  readonly label: (name: string) => string;
  readonly onChoose: ((name: string) => void) | undefined;
}

function Lines({ lines, label, onChoose }: LinesProps) {
  const most = Math.max(1, ...lines.map((one) => one.number));
  return (
    <table class="bars-table">
      <tbody>
        {lines.map(({ name, number }) => (
          <tr key={name}>
            <td>
              <div class="bar-fill" style={{ width: `${(number / most) * 100}%` }} />
              {onChoose ? (
                <button type="button" class="bar-label" onClick={() => onChoose(name)}>
                  {label(name)}
                </button>
              ) : (
                <span class="bar-label">{label(name)}</span>
              )}
            </td>
            <td class="number">{count(number)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
