import { Badge } from "./badge";
import { Icon, Logo } from "./icons";
import { Navigation } from "./navigation";
import { Preferences } from "./preferences";
import { ReturnedNote } from "./returned";
import { StatusLine } from "./status_line";
import { isLoggedIn } from "../core/access";
import { count } from "../core/format";
import { t } from "../core/language";
import type { Model } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

export function Header({ model, dashboard }: Props) {
  const { header } = t();
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
        <Preferences model={model} dashboard={dashboard} />
        <button
          class="tool"
          type="button"
          aria-label={header.shortcuts}
          title={header.shortcutsHint}
          onClick={() => dashboard.showHelp(true)}
        >
          ?
        </button>
        {isLoggedIn(model.standing) && (
          <button class="tool" type="button" onClick={() => void dashboard.logOut()}>
            {header.logOut}
          </button>
        )}
      </div>
      <StatusLine model={model} />
    </header>
  );
}

function PauseButton({ model, dashboard }: Props) {
  const { paused } = model;
  const { header } = t();
  const fresh = paused?.fresh.size ?? 0;
  return (
    <button
      class={`tool tool-pause ${paused ? "is-paused" : ""}`}
      type="button"
      title={paused ? header.resumeHint : header.pauseHint}
      data-testid="pause"
      onClick={() => dashboard.togglePause()}
    >
      <Icon name={paused ? "play" : "pause"} />
      <span>{paused ? header.resume : header.pause}</span>
      {fresh > 0 && <b class="fresh">{header.fresh(count(fresh))}</b>}
    </button>
  );
}
