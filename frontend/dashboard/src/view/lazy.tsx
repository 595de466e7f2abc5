// A page whose code comes when it is first opened.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../core/language";
import type { Page } from "../core/route";
import type { Dashboard } from "../shell/dashboard";

export interface PageProps {
  readonly dashboard: Dashboard;
}

interface Module {
  readonly Page: ComponentType<PageProps>;
}

const LOADERS: Readonly<Record<Exclude<Page, "live">, () => Promise<Module>>> = {
  history: () => import("../pages/history/page"),
  explore: () => import("../pages/explore/page"),
  pipeline: () => import("../pages/pipeline/page"),
};

const loaded = new Map<Page, Module>();

export function Lazy({ page, dashboard }: PageProps & { readonly page: Exclude<Page, "live"> }) {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (loaded.has(page)) return;
    void LOADERS[page]().then((module) => {
      loaded.set(page, module);
      redraw((before) => before + 1);
    });
  }, [page]);
  const Found = loaded.get(page)?.Page;
  return Found ? <Found dashboard={dashboard} /> : <main class="main">{t().pages.loading}</main>;
}
