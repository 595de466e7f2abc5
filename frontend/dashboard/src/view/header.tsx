import { Badge } from "./badge";
import { Icon, Logo, type IconName } from "./icons";
import { isLoggedIn } from "../core/access";
import { Navigation } from "./navigation";
import { ReturnedNote } from "./returned";
import { count } from "../core/format";
import type { Model, Theme } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

export function Header({ model, dashboard }: Props) {
  return (
    <header class="header">
      <h1 class="brand">
        <Logo />
        <span class="brand-name">Clickwake</span>
      </h1>
      <Navigation dashboard={dashboard} />
      <Badge model={model} />
      <ReturnedNote model={model} />
      <div class="header-tools">
        <PauseButton model={model} dashboard={dashboard} />
        <ZoneButton model={model} dashboard={dashboard} />
        <ThemeButton model={model} dashboard={dashboard} />
        <button
          class="tool"
          type="button"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={() => dashboard.showHelp(true)}
        >
          ?
        </button>
        {isLoggedIn(model.standing) && (
          <button class="tool" type="button" onClick={() => void dashboard.logOut()}>
            Log out
          </button>
        )}
      </div>
    </header>
  );
}

function PauseButton({ model, dashboard }: Props) {
  const { paused } = model;
  return (
    <button
      class={`tool tool-pause ${paused ? "is-paused" : ""}`}
      type="button"
      title={paused ? "Resume (Space)" : "Pause (Space)"}
      data-testid="pause"
      onClick={() => dashboard.togglePause()}
    >
      <Icon name={paused ? "play" : "pause"} />
      <span>{paused ? "Resume" : "Pause"}</span>
      {paused && paused.fresh.size > 0 && <b class="fresh">{count(paused.fresh.size)} new</b>}
    </button>
  );
}

function ZoneButton({ model, dashboard }: Props) {
  const isUtc = model.zone === "utc";
  return (
    <button
      class="tool"
      type="button"
      title={isUtc ? "Times are in UTC; show local time" : "Times are local; show UTC"}
      onClick={() => dashboard.prefer({ zone: isUtc ? "local" : "utc" })}
    >
      {isUtc ? "UTC" : "Local"}
    </button>
  );
}

const THEMES: Readonly<Record<Theme, { next: Theme; icon: IconName; name: string }>> = {
  system: { next: "light", icon: "half", name: "as the system" },
  light: { next: "dark", icon: "sun", name: "light" },
  dark: { next: "system", icon: "moon", name: "dark" },
};

function ThemeButton({ model, dashboard }: Props) {
  const { next, icon, name } = THEMES[model.theme];
  const label = `Colours: ${name}. Change to ${THEMES[next].name}.`;
  return (
    <button
      class="tool"
      type="button"
      aria-label={label}
      title={label}
      onClick={() => dashboard.prefer({ theme: next })}
    >
      <Icon name={icon} />
    </button>
  );
}
