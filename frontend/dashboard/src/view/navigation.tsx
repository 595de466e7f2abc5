import { t } from "../core/language";
import { fragment, PAGES, type Page } from "../core/route";
import type { Dashboard } from "../shell/dashboard";

/** Links, so that a page can be opened in a tab of its own. */
export function Navigation({ dashboard }: { readonly dashboard: Dashboard }) {
  const { page: current } = dashboard.model.place;
  const follow = (event: MouseEvent, page: Page) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    dashboard.go(page);
  };
  return (
    <nav class="pages" aria-label={t().header.navigation}>
      {PAGES.map((page) => (
        <a
          key={page}
          href={fragment({ page, part: "", session: null }) || "#/"}
          aria-current={page === current ? "page" : undefined}
          onClick={(event) => follow(event, page)}
        >
          {t().pages[page]}
        </a>
      ))}
    </nav>
  );
}
