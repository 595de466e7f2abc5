import { render } from "preact";
import "./styles/base.css";
import "./styles/panels.css";
import "./styles/list.css";
import "./styles/drawer.css";
import "./styles/session.css";
import "./styles/layout.css";
import "./styles/log_in.css";
import "./styles/live.css";
import { language } from "./core/language";
import { presence } from "./core/presence";
import { Dashboard } from "./shell/dashboard";
import { listenToKeys } from "./shell/keyboard";
import { listenToValues } from "./shell/values";
import { App } from "./view/app";

const root = document.getElementById("app")!;

const dashboard = new Dashboard((current) => {
  // Another language draws everything anew.
  render(<App key={language()} dashboard={current} />, root);
  const { people } = presence(current.model.live.counts);
  document.title = people > 0 ? `(${people}) Clickwake` : "Clickwake";
});

listenToKeys({
  search: () => document.getElementById("page-search")?.focus(),
  move: (step) => dashboard.move(step),
  pause: () => dashboard.togglePause(),
  help: () => dashboard.showHelp(true),
});

listenToValues((name, value) => {
  dashboard.openSession(null);
  dashboard.toggleFilter(name, value);
});

dashboard.start();
