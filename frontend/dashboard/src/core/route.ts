// Which page is shown and which session is open over it, as the address's fragment says it:
// #/history, #/explore/funnel, #/pipeline/session/ID. Without a page it is the live one.

export const PAGES = ["live", "history", "explore", "pipeline"] as const;
export type Page = (typeof PAGES)[number];

export interface Route {
  readonly page: Page;
  /** What the page itself makes of it, such as "funnel"; "" for its beginning. */
  readonly part: string;
  /** The session that is open over the page. */
  readonly session: string | null;
}

export const START: Route = { page: "live", part: "", session: null };

/** Reads a fragment with its "#"; a page that it does not know is the live one. */
export function routeFrom(hash: string): Route {
  const [names, session] = splitAt(hash.replace(/^#\/?/, "").split("/"), "session");
  const page = PAGES.find((each) => each === names[0]);
  return {
    page: page ?? "live",
    part: page ? decoded(names.slice(1).join("/")) : "",
    session: session.length > 0 ? decoded(session.join("/")) : null,
  };
}

function splitAt(names: string[], mark: string): [string[], string[]] {
  const at = names.indexOf(mark);
  return at < 0 ? [names, []] : [names.slice(0, at), names.slice(at + 1)];
}

/** The fragment with its "#"; empty for the live page with nothing open. */
export function fragment({ page, part, session }: Route): string {
  const parts = [
    ...(page === "live" ? [] : [page]),
    ...(part === "" ? [] : [encodeURIComponent(part)]),
    ...(session === null ? [] : ["session", encodeURIComponent(session)]),
  ];
  return parts.length > 0 ? `#/${parts.join("/")}` : "";
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
