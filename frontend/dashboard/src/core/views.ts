// Saved views: pages of the dashboard as people set and named them, shared by all.
import { fragment, type Page } from "./route";

export interface View {
  readonly view_id: string;
  readonly page: string;
  readonly name: string;
  /** The link to it, from its "?" or "#" on. */
  readonly parameters: string;
}

/** What is to be saved of a page as it is now; `query` is the address's, without its "?". */
export function parametersOf(page: Page, part: string, query: string): string {
  return (query ? `?${query}` : "") + fragment({ page, part, session: null });
}

/** A link that also takes away the filters of now: from the page's own folder on. */
export function viewLink(view: View): string {
  return `./${view.parameters}`;
}
