// The columns of the table of sessions: which there are, which are chosen, what each needs.

export const COLUMNS = [
  "start",
  "place",
  "entry",
  "exit",
  "source",
  "device",
  "pages",
  "events",
  "duration",
  "status",
  "end",
  "calls",
  "custom",
  "errors",
  "reading",
  "campaign",
  "site",
  "visitor",
  "revision",
] as const;
export type Column = (typeof COLUMNS)[number];

export const FIRST_COLUMNS: readonly Column[] = COLUMNS.slice(0, 10);

/** The fields of a session, by their names in the API, that a column shows. */
export const COLUMN_FIELDS: Readonly<Record<Column, readonly string[]>> = {
  start: ["start"],
  place: ["geo.city", "geo.country"],
  entry: ["entry_page"],
  exit: ["exit_page"],
  source: ["attribution.channel", "attribution.domain"],
  device: ["agent.device", "agent.browser", "agent.os", "agent.is_bot", "agent.bot"],
  pages: ["pages"],
  events: ["events"],
  duration: ["duration_ms"],
  status: ["status"],
  end: ["end"],
  calls: ["api_calls"],
  custom: ["custom_events"],
  errors: ["errors"],
  reading: ["engaged_ms"],
  campaign: ["attribution.utm_source", "attribution.utm_campaign"],
  site: ["site_id"],
  visitor: ["visitor_id"],
  revision: ["epoch", "revision"],
};

export const SESSION_ORDERS = ["start", "end", "duration", "events"] as const;
export type SessionOrder = (typeof SESSION_ORDERS)[number];

/** As the API takes it; with "-" the largest first. */
export type SessionSort = SessionOrder | `-${SessionOrder}`;

export const NEWEST_FIRST: SessionSort = "-start";

/** The order that a column's heading asks for: the largest first, then the smallest. */
export function nextSort(sort: SessionSort, order: SessionOrder): SessionSort {
  return sort === `-${order}` ? order : `-${order}`;
}

export function isOrder(column: Column): column is Column & SessionOrder {
  return SESSION_ORDERS.some((each) => each === column);
}

/** What aria-sort says of a column. */
export function direction(sort: SessionSort, column: Column): "ascending" | "descending" | "none" {
  if (sort === column) return "ascending";
  return sort === `-${column}` ? "descending" : "none";
}

export function sortFrom(text: string): SessionSort | null {
  const order = SESSION_ORDERS.find((each) => text === each || text === `-${each}`);
  return order ? (text as SessionSort) : null;
}

/** What the page remembers, as far as it still means something; never nothing. */
export function columnsFrom(stored: unknown): readonly Column[] {
  if (!Array.isArray(stored)) return FIRST_COLUMNS;
  const known = COLUMNS.filter((column) => stored.includes(column));
  return known.length > 0 ? known : FIRST_COLUMNS;
}

/** With the column, in its place, or without it. The last one stays. */
export function withToggled(chosen: readonly Column[], column: Column): readonly Column[] {
  const isChosen = chosen.includes(column);
  if (isChosen && chosen.length === 1) return chosen;
  return COLUMNS.filter((each) => (each === column ? !isChosen : chosen.includes(each)));
}

/** The fields that the columns show, and the id that rows are told apart by. */
export function fieldsOf(chosen: readonly Column[]): string[] {
  return [...new Set(["session_id", ...chosen.flatMap((column) => COLUMN_FIELDS[column])])];
}
