import { Drawer } from "./drawer";
import { Header } from "./header";
import { Help } from "./help";
import { Lazy } from "./lazy";
import { Live } from "./live";
import { LogIn } from "./log_in";
import { isLockedOut } from "../core/access";
import { t } from "../core/language";
import { serverTime } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

export function App({ dashboard }: { readonly dashboard: Dashboard }) {
  const { model } = dashboard;
  const { page } = model.place;
  if (isLockedOut(model.standing)) return <LogIn dashboard={dashboard} />;
  const now = serverTime(model, model.paused?.since ?? Date.now());
  return (
    <>
      {page === "live" && (
        <a class="skip" href="#sessions">
          {t().header.skip}
        </a>
      )}
      <Header model={model} dashboard={dashboard} />
      {page === "live" ? (
        <Live model={model} dashboard={dashboard} now={now} />
      ) : (
        <Lazy page={page} dashboard={dashboard} />
      )}
      <Footer />
      {model.detail && (
        <Drawer model={model} detail={model.detail} dashboard={dashboard} now={now} />
      )}
      {model.help && <Help onClose={() => dashboard.showHelp(false)} />}
    </>
  );
}

function Footer() {
  const { header } = t();
  return (
    <footer class="footer">
      <span>
        <a href="https://db-ip.com" rel="noreferrer">
          {header.geoCredit}
        </a>{" "}
        (CC BY 4.0)
      </span>
      <span>{header.mapCredit}</span>
      <a href="/docs">{header.apiDocs}</a>
    </footer>
  );
}
