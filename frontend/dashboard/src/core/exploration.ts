// What the explore page asks: a funnel, a retention grid or paths, as the address says it.
import { filterParameters, plainValue, type Filters } from "./filters";
import type { Zone } from "./format";

export const KINDS = ["funnel", "retention", "paths"] as const;
export const PERIODS = ["7", "30", "90", "custom"] as const;
export const WITHIN = ["", "10m", "30m", "1h", "1d", "7d"] as const;
export const MOST_STEPS = 8;
export const FEWEST_STEPS = 2;
export const DEPTHS = ["2", "3", "4", "5"] as const;
const PAGES_A_STEP = 6;
const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export type Kind = (typeof KINDS)[number];
export type PeriodChoice = (typeof PERIODS)[number];

export interface Exploration {
  readonly kind: Kind;
  readonly period: PeriodChoice;
  /** Whole days, "YYYY-MM-DD", both inclusive; only of a custom period. */
  readonly from: string;
  readonly to: string;
  /** A path or pattern, or `event:` and a custom event's name. */
  readonly steps: readonly string[];
  readonly by: "session" | "visitor";
  readonly within: (typeof WITHIN)[number];
  readonly interval: "week" | "day";
  /** Where paths begin; "" for wherever a session began. */
  readonly page: string;
  readonly direction: "next" | "previous";
  readonly depth: (typeof DEPTHS)[number];
}

export const BEGINNING: Exploration = {
  kind: "funnel",
  period: "30",
  from: "",
  to: "",
  steps: [],
  by: "session",
  within: "",
  interval: "week",
  page: "",
  direction: "next",
  depth: "3",
};

/** Reads a route's part, such as "funnel?step=/&step=/cart"; what it does not know is as at first. */
export function explorationFrom(part: string): Exploration {
  const [name = "", query = ""] = splitOnce(part, "?");
  const given = new URLSearchParams(query);
  return {
    kind: oneOf(KINDS, name, BEGINNING.kind),
    period: oneOf(PERIODS, given.get("period"), BEGINNING.period),
    from: dateOr(given.get("from")),
    to: dateOr(given.get("to")),
    steps: given.getAll("step").filter(Boolean).slice(0, MOST_STEPS),
    by: oneOf(["session", "visitor"], given.get("by"), BEGINNING.by),
    within: oneOf(WITHIN, given.get("within"), BEGINNING.within),
    interval: oneOf(["week", "day"], given.get("interval"), BEGINNING.interval),
    page: given.get("page") ?? "",
    direction: oneOf(["next", "previous"], given.get("direction"), BEGINNING.direction),
    depth: oneOf(DEPTHS, given.get("depth"), BEGINNING.depth),
  };
}

const OWN: Readonly<Record<Kind, readonly (keyof Exploration)[]>> = {
  funnel: ["by", "within"],
  retention: ["interval"],
  paths: ["page", "direction", "depth"],
};

/** The route's part: the kind, and what is not as at first. */
export function partOf(asked: Exploration): string {
  const query = new URLSearchParams();
  const names: (keyof Exploration)[] = ["period", ...OWN[asked.kind]];
  if (asked.period === "custom") names.push("from", "to");
  for (const name of names) {
    if (asked[name] !== BEGINNING[name]) query.set(name, String(asked[name]));
  }
  if (asked.kind === "funnel") for (const step of asked.steps) query.append("step", step);
  return query.size > 0 ? `${asked.kind}?${query}` : asked.kind;
}

/** The API's path and query; null as long as something is still to be chosen. */
export function question(asked: Exploration, filters: Filters, zone: Place): string | null {
  const range = rangeQuery(asked, zone);
  if (range === null) return null;
  if (asked.kind === "funnel" && asked.steps.length < FEWEST_STEPS) return null;
  const query = new URLSearchParams([...range, ...filterPairs(filters), ...ownPairs(asked)]);
  if (asked.kind === "retention") query.set("tz", zone.name);
  return `/stats/${asked.kind}?${query}`;
}

/** What the list of pages to choose from is made of. */
export function pagesQuestion(asked: Exploration, filters: Filters, zone: Place): string | null {
  const range = rangeQuery(asked, zone);
  if (range === null) return null;
  const own = { dimension: "path", sort: "views", limit: "40" };
  const pairs = [...range, ...filterPairs(filters), ...Object.entries(own)];
  return `/stats/top?${new URLSearchParams(pairs)}`;
}

/** What the list of custom events to choose from is made of; the API takes no filters there. */
export function namesQuestion(asked: Exploration, zone: Place): string | null {
  const range = rangeQuery(asked, zone);
  return range && `/stats?${new URLSearchParams([...range])}`;
}

/** In which zone days begin: as the page shows times, and its IANA name. */
export interface Place {
  readonly zone: Zone;
  readonly name: string;
}

type Pairs = [string, string][];

function ownPairs(asked: Exploration): Pairs {
  switch (asked.kind) {
    case "funnel":
      return [
        ...asked.steps.map((step): [string, string] => ["step", step]),
        ["by", asked.by],
        ...optional("within", asked.within),
      ];
    case "retention":
      return [["interval", asked.interval]];
    case "paths":
      return [
        ...optional("page", asked.page),
        ["direction", asked.direction],
        ["depth", asked.depth],
        ["limit", String(PAGES_A_STEP)],
      ];
  }
}

/** Null for a custom period without both days, or that ends before it begins. */
function rangeQuery(asked: Exploration, { zone }: Place): Pairs | null {
  if (asked.period !== "custom") {
    // The last twelve whole weeks are what the API takes by itself.
    const isDefault = asked.kind === "retention" && asked.period === "90";
    return isDefault && asked.interval === "week" ? [] : [["from", `-${asked.period}d`]];
  }
  if (!asked.from || !asked.to || asked.to < asked.from) return null;
  const end = midnight(asked.to, zone, 1);
  return [
    ["from", midnight(asked.from, zone)],
    ["to", end],
  ];
}

function midnight(date: string, zone: Zone, daysLater = 0): string {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const at =
    zone === "utc"
      ? Date.UTC(year, month - 1, day) + daysLater * DAY_MS
      : new Date(year, month - 1, day + daysLater).getTime();
  return new Date(at).toISOString();
}

/** The shared filters as the history understands them; merged sessions never count there. */
export function filterPairs(filters: Filters): Pairs {
  const status = filters.status.filter((value) => plainValue(value) !== "merged");
  const query = filterParameters({ ...filters, status });
  query.set("bots", filters.bots[0] ?? "exclude");
  return [...query];
}

function optional(name: string, value: string): Pairs {
  return value === "" ? [] : [[name, value]];
}

export function withStep(asked: Exploration, step: string): Exploration {
  const text = step.trim();
  const isFull = asked.steps.length >= MOST_STEPS;
  return text === "" || isFull ? asked : { ...asked, steps: [...asked.steps, text] };
}

export function withoutStep(asked: Exploration, index: number): Exploration {
  return { ...asked, steps: asked.steps.filter((_, each) => each !== index) };
}

/** The step at `index` one place up (-1) or down (1); as it was at either end. */
export function movedStep(asked: Exploration, index: number, by: 1 | -1): Exploration {
  const steps = [...asked.steps];
  const [one] = steps.splice(index, 1);
  const to = index + by;
  if (one === undefined || to < 0 || to > steps.length) return asked;
  steps.splice(to, 0, one);
  return { ...asked, steps };
}

const EVENT = "event:";

/** A custom event as a funnel's step. */
export function eventStep(name: string): string {
  return EVENT + name;
}

/** A step's own name, and whether it is a custom event. */
export function stepName(step: string): { readonly name: string; readonly isEvent: boolean } {
  const isEvent = step.startsWith(EVENT);
  return { name: isEvent ? step.slice(EVENT.length) : step, isEvent };
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function dateOr(text: string | null): string {
  return text !== null && DATE.test(text) ? text : "";
}

function oneOf<T extends string>(known: readonly T[], text: string | null, otherwise: T): T {
  return known.find((value) => value === text) ?? otherwise;
}
