// The page's address holds the filters and the open session, so a link shows the same.
import { filterQuery, filtersFrom, type Filters } from "../core/filters";

const SESSION = /^#\/session\/(.+)$/;

export function sessionLink(id: string): string {
  return `#/session/${encodeURIComponent(id)}`;
}

export function readFilters(): Filters {
  return filtersFrom(location.search);
}

export function readSession(): string | null {
  const found = SESSION.exec(location.hash)?.[1];
  return found ? decodeURIComponent(found) : null;
}

/** Filters replace the entry: Back should leave the page, not undo every keystroke. */
export function writeFilters(filters: Filters): void {
  const query = filterQuery(filters);
  history.replaceState(null, "", address(query, location.hash));
}

export function writeSession(id: string | null): void {
  if (id === readSession()) return;
  const query = location.search.replace(/^\?/, "");
  history.pushState(null, "", address(query, id === null ? "" : sessionLink(id)));
}

/** The open session goes on under another id: Back should not lead to the one that is gone. */
export function replaceSession(id: string): void {
  history.replaceState(null, "", address(location.search.replace(/^\?/, ""), sessionLink(id)));
}

function address(query: string, hash: string): string {
  return location.pathname + (query ? `?${query}` : "") + hash;
}
