// What the live feed is asked for.
import { isExcluding, type FilterName, type Filters } from "./filters";
import type { Subscription } from "../contracts.gen";

export const EVERYTHING: Subscription = {
  topics: ["sessions", "stats", "events"],
  site: [],
  country: [],
  channel: [],
  device: [],
  browser: [],
  os: [],
  bots: "include",
  path: "",
  session: "",
  visitor: "",
};

const NAMES = ["site", "country", "channel", "device", "browser", "os"] as const;
const MOST_VALUES = 50;

/**
 * What the server can leave out already: where more is going on than the page holds, the page then
 * holds all that the filters are about. It knows of wanted values only; the page does the rest.
 */
export function narrowed(filters: Filters): Subscription {
  const wanted = NAMES.map((name) => [name, wantedOf(filters, name)] as const);
  const bots = filters.bots[0];
  return {
    ...EVERYTHING,
    ...Object.fromEntries(wanted),
    bots: bots === "only" || bots === "exclude" ? bots : "include",
  };
}

function wantedOf(filters: Filters, name: FilterName): string[] {
  const values = filters[name].filter((value) => !isExcluding(value));
  return values.length <= MOST_VALUES ? values : [];
}

export function isSame(a: Subscription, b: Subscription): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
