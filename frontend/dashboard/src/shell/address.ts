// The page's address holds the filters and the open session, so a link shows the same.
import { filterQuery, filtersFrom, type Filters } from "../core/filters";
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
  history.replaceState(null, "", address(filterQuery(filters), location.hash));
}

/** Another page or session: Back leads to the one before. */
export function writeRoute(route: Route): void {
  if (fragment(route) === fragment(readRoute())) return;
  history.pushState(null, "", address(query(), fragment(route)));
}

/** The open session goes on under another id: Back should not lead to the one that is gone. */
export function replaceSession(id: string): void {
  history.replaceState(null, "", address(query(), sessionLink(id)));
}

function query(): string {
  return location.search.replace(/^\?/, "");
}

function address(search: string, hash: string): string {
  return location.pathname + (search ? `?${search}` : "") + hash;
}
