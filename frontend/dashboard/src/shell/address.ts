// The page's address holds the filters and the open session, so a link shows the same.
import { filtersFrom, type Filters } from "../core/filters";
import { viewFrom, withFilters, withView, zoneFrom, type View } from "../core/history_view";
import { fragment, routeFrom, type Route } from "../core/route";

/** A link to a session over the page that is shown. */
export function sessionLink(id: string): string {
  return fragment({ ...readRoute(), session: id });
}

export function readRoute(): Route {
  return routeFrom(location.hash);
}

export function readFilters(): Filters {
  return filtersFrom(location.search);
}

/** Filters replace the entry: Back should leave the page, not undo every keystroke. */
export function writeFilters(filters: Filters): void {
  history.replaceState(null, "", address(withFilters(readQuery(), filters), location.hash));
}

/** What the history page shows. */
export function readView(): View {
  return viewFrom(location.search);
}

/** The time zone that the address is about, or "". */
export function readZone(): string {
  return zoneFrom(location.search);
}

/** Like filters, it replaces the entry. */
export function writeView(view: View, timeZone: string): void {
  history.replaceState(null, "", address(withView(readQuery(), view, timeZone), location.hash));
}

/** Another page or session: Back leads to the one before. */
export function writeRoute(route: Route): void {
  if (fragment(route) === fragment(readRoute())) return;
  history.pushState(null, "", address(readQuery(), fragment(route)));
}

/** The open session goes on under another id: Back should not lead to the one that is gone. */
export function replaceSession(id: string): void {
  history.replaceState(null, "", address(readQuery(), sessionLink(id)));
}

/** Without its question mark. */
export function readQuery(): string {
  return location.search.replace(/^\?/, "");
}

function address(search: string, hash: string): string {
  return location.pathname + (search ? `?${search}` : "") + hash;
}
