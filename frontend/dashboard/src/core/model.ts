// Everything the page shows, as one value. `transitions.ts` makes the next one from it.
import type { Standing } from "./access";
import type { Biography } from "./biography";
import { BOOK_LIMIT, EMPTY_BOOK, supersedes, type Book } from "./book";
import { NO_LINK, type Link } from "./connection";
import { clockOffset, type ClockSample, type DelaySample } from "./delay";
import { NO_FILTERS, type Filters } from "./filters";
import type { Zone } from "./format";
import type { Language } from "./language";
import { presence } from "./presence";
import { START, type Route } from "./route";
import type { EnrichedEvent, Ledger, LiveCounts, SessionUpdate } from "../contracts.gen";

export const FIRST_ROWS = 150;
export const MORE_ROWS = 100;

export type Theme = "system" | "light" | "dark";
export type LanguageChoice = "system" | Language;
export type Range = "hour" | "day" | "today" | "yesterday" | "week";

/** What pausing holds still. */
export interface Scene {
  readonly book: Book;
  readonly counts: LiveCounts | null;
  /** The newest events, newest first. */
  readonly feed: readonly EnrichedEvent[];
}

export interface Pause {
  readonly scene: Scene;
  readonly since: number;
  /** Ids that changed since. */
  readonly fresh: ReadonlySet<string>;
}

/** A row that is being absorbed, until when (server's clock), and by which. */
export interface Leaving {
  readonly until: number;
  readonly into: string;
}

/** What shows that a row is being absorbed, or until when that it took another in. */
export interface Effects {
  readonly leaving: ReadonlyMap<string, Leaving>;
  readonly lit: ReadonlyMap<string, number>;
}

/** The connection came back at `at` (this clock): with what was missed, or with all anew. */
export interface Returned {
  readonly at: number;
  /** How many sessions changed meanwhile; null when the server could not tell. */
  readonly missed: number | null;
}

export interface Detail {
  readonly id: string;
  readonly state: "loading" | "ready" | "missing" | "failed";
  readonly session: SessionUpdate | null;
  readonly events: readonly EnrichedEvent[];
  readonly truncated: boolean;
  /** How it came to be; null until the history has said. */
  readonly why: Biography | null;
}

export interface Earlier {
  readonly state: "idle" | "loading" | "end" | "failed";
  readonly cursor: string | null;
}

export interface Stats {
  readonly sessions: number;
  readonly events: number;
  readonly pages: number;
  readonly api_calls: number;
  readonly bounce_rate: number | null;
  readonly median_duration_ms: number | null;
  readonly bots: number;
  readonly channels: readonly { readonly channel: string; readonly sessions: number }[];
  readonly browsers: readonly { readonly browser: string; readonly sessions: number }[];
  readonly devices: readonly { readonly device: string; readonly sessions: number }[];
  readonly entry_pages: readonly { readonly entry_page: string; readonly sessions: number }[];
  readonly event_names: readonly { readonly name: string; readonly events: number }[];
}

export interface Model {
  readonly live: Scene;
  readonly paused: Pause | null;
  readonly link: Link;
  readonly returned: Returned | null;
  readonly clock: readonly ClockSample[];
  readonly delays: readonly DelaySample[];
  /** Whether more are here than the book holds. Kept while the feed is narrowed to some of them. */
  readonly isCrowded: boolean;
  /** How many events the last message had to leave out. */
  readonly leftOut: number;
  readonly effects: Effects;
  /** The page and its part; the open session is `detail`. */
  readonly place: Pick<Route, "page" | "part">;
  readonly filters: Filters;
  readonly rowLimit: number;
  /** Ids of the rows in the order they stand in, as last drawn. */
  readonly shown: readonly string[];
  /** How many sessions match the filters, shown or not. */
  readonly matching: number;
  readonly pointed: string | null;
  readonly focused: string | null;
  readonly detail: Detail | null;
  readonly earlier: Earlier;
  readonly stats: Stats | null;
  readonly ledger: Ledger | null;
  readonly range: Range;
  readonly theme: Theme;
  readonly language: LanguageChoice;
  readonly zone: Zone;
  readonly help: boolean;
  /** Null until the server has said. */
  readonly standing: Standing | null;
}

export const INITIAL: Model = {
  live: { book: EMPTY_BOOK, counts: null, feed: [] },
  paused: null,
  link: NO_LINK,
  returned: null,
  clock: [],
  delays: [],
  isCrowded: false,
  leftOut: 0,
  effects: { leaving: new Map(), lit: new Map() },
  place: { page: START.page, part: START.part },
  filters: NO_FILTERS,
  rowLimit: FIRST_ROWS,
  shown: [],
  matching: 0,
  pointed: null,
  focused: null,
  detail: null,
  earlier: { state: "idle", cursor: null },
  stats: null,
  ledger: null,
  range: "day",
  theme: "system",
  language: "system",
  zone: "local",
  help: false,
  standing: null,
};

/** Whether more is going on than the page holds: then its lists are of the newest. */
export function isSampled(model: Model): boolean {
  const { people, bots } = presence(model.live.counts);
  return people + bots > BOOK_LIMIT || model.leftOut > 0;
}

/** What is on screen: the scene of the pause, or else the live one. */
export function scene(model: Model): Scene {
  return model.paused?.scene ?? model.live;
}

/** The server's clock when this machine's says `local`. */
export function serverTime(model: Model, local: number): number {
  return local + (clockOffset(model.clock) ?? 0);
}

/** The newest state of a session, from the live feed or from the history. */
export function newestState(model: Model, detail: Detail): SessionUpdate | null {
  const live = scene(model).book.get(detail.id);
  const stored = detail.session;
  if (!live || !stored) return live ?? stored;
  return supersedes(stored, live) ? stored : live;
}
