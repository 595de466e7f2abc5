import { Breakdown } from "./breakdown";
import { Drawer } from "./drawer";
import { Figures } from "./figures";
import { Header } from "./header";
import { Help } from "./help";
import { Here } from "./here";
import { Ledger } from "./ledger";
import { Lazy } from "./lazy";
import { List } from "./list";
import { LogIn } from "./log_in";
import { Minutes } from "./minutes";
import { Places } from "./places";
import { StatusLine } from "./status_line";
import { isLockedOut } from "../core/access";
import { serverTime, type Model } from "../core/model";
import { bars } from "../core/transitions";
import type { Dashboard } from "../shell/dashboard";

export function App({ dashboard }: { readonly dashboard: Dashboard }) {
  const { model } = dashboard;
  const { page } = model.place;
  if (isLockedOut(model.standing)) return <LogIn dashboard={dashboard} />;
  const now = serverTime(model, model.paused?.since ?? Date.now());
  return (
    <>
      <a class="skip" href="#sessions">
        Skip to the sessions
      </a>
      <Header model={model} dashboard={dashboard} />
      {page === "live" ? (
        <Live model={model} dashboard={dashboard} now={now} />
      ) : (
        <Lazy page={page} dashboard={dashboard} />
      )}
      <Footer />
      <StatusLine model={model} />
      {model.detail && (
        <Drawer model={model} detail={model.detail} dashboard={dashboard} now={now} />
      )}
      {model.help && <Help onClose={() => dashboard.showHelp(false)} />}
    </>
  );
}

interface LiveProps {
  readonly model: Model;
  readonly dashboard: Dashboard;
  readonly now: number;
}

function Live({ model, dashboard, now }: LiveProps) {
  return (
    <main class="main">
      <div class="summary">
        <Here model={model} />
        <Minutes bars={bars(model, now)} zone={model.zone} />
        <Figures model={model} dashboard={dashboard} />
      </div>
      <div class="side">
        <Places model={model} dashboard={dashboard} now={now} />
        <Breakdown model={model} dashboard={dashboard} />
        <Ledger model={model} now={now} />
      </div>
      <List model={model} dashboard={dashboard} now={now} />
    </main>
  );
}

function Footer() {
  return (
    <footer class="footer">
      <span>
        <a href="https://db-ip.com" rel="noreferrer">
          IP geolocation by DB-IP
        </a>{" "}
        (CC BY 4.0)
      </span>
      <span>Made with Natural Earth</span>
      <a href="/docs">API documentation</a>
    </footer>
  );
}
