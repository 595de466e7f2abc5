// Whether a session meets the filters, as the history would say; the live page asks it often.
import {
  activeFilters,
  isExcluding,
  plainValue,
  UNKNOWN_PLACE,
  type FilterName,
  type Filters,
} from "./filters";
import type { SessionUpdate } from "../contracts.gen";

export type Test = (session: SessionUpdate) => boolean;

/** What a name is about. Only the first and the last page of a session are known here. */
export const VALUES: Readonly<Record<FilterName, (session: SessionUpdate) => readonly string[]>> = {
  site: (session) => [session.site_id],
  country: (session) => [session.geo?.country ?? UNKNOWN_PLACE],
  region: (session) => [session.geo?.region ?? ""],
  city: (session) => [session.geo?.city ?? ""],
  channel: (session) => [session.attribution.channel],
  referrer_domain: (session) => [session.attribution.domain ?? ""],
  utm_campaign: (session) => [session.attribution.utm_campaign ?? ""],
  device: (session) => [session.agent.device],
  browser: (session) => [session.agent.browser],
  os: (session) => [session.agent.os],
  bots: (session) => [session.agent.is_bot ? "only" : "exclude"],
  status: (session) => [session.status],
  entry: (session) => [session.entry_page],
  exit: (session) => [session.exit_page],
  path: (session) => [session.entry_page, session.exit_page],
};

const PATTERNS: ReadonlySet<FilterName> = new Set(["entry", "exit", "path"]);

/** One test of all the filters, the same function for the same filters. */
export function matcher(filters: Filters): Test {
  let known = matchers.get(filters);
  if (!known) matchers.set(filters, (known = newMatcher(filters)));
  return known;
}

const matchers = new WeakMap<Filters, Test>();

export function matches(session: SessionUpdate, filters: Filters): boolean {
  return matcher(filters)(session);
}

/** A merged session lives on in its successor, so it shows only when asked for. */
function newMatcher(filters: Filters): Test {
  const tests = activeFilters(filters).map((name) => testOf(name, filters[name]));
  if (!filters.status.includes("merged")) tests.unshift((session) => session.status !== "merged");
  if (filters.q.trim() !== "") tests.push(testOfWords(filters.q));
  return (session) => tests.every((test) => test(session));
}

function testOf(name: FilterName, values: readonly string[]): Test {
  const likes = (some: readonly string[]) =>
    some.map((value) => likeness(PATTERNS.has(name), plainValue(value)));
  const wanted = likes(values.filter((value) => !isExcluding(value)));
  const excluded = likes(values.filter(isExcluding));
  const read = VALUES[name];
  return (session) => {
    const found = read(session);
    const isAnyOf = (some: readonly ((text: string) => boolean)[]) =>
      some.some((like) => found.some(like));
    return (wanted.length === 0 || isAnyOf(wanted)) && !isAnyOf(excluded);
  };
}

function likeness(isPattern: boolean, value: string): (text: string) => boolean {
  if (!isPattern || !/[*?]/.test(value)) return (text) => text === value;
  const escaped = value.replace(/[.+^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(`^${escaped.replaceAll("*", ".*").replaceAll("?", ".")}$`, "su");
  return (text) => pattern.test(text);
}

function testOfWords(text: string): Test {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ entry_page: entry, exit_page: exit }) =>
    [entry, exit].some((path) => {
      const lower = path.toLowerCase();
      return words.every((word) => lower.includes(word));
    });
}
