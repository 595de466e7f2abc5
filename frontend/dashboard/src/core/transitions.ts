// How the model changes. Every function takes a model and returns the next.
import type { Biography } from "./biography";
import { BOOK_LIMIT, EMPTY_BOOK, record, type Absorption, type Book } from "./book";
import type { Link } from "./connection";
import { clockSample, delaySample, withDelay, withSample, type Way } from "./delay";
import { withEvents } from "./feed_list";
import { plainValue, type Filters } from "./filters";
import { lastHour, MINUTE_MS, MINUTES_SHOWN } from "./minutes";
import { presence, sessionsHere } from "./presence";
import {
  FIRST_ROWS,
  scene,
  serverTime,
  type Detail,
  type Effects,
  type Model,
  type Scene,
} from "./model";
import type {
  EnrichedEvent,
  Heartbeat,
  LiveCounts,
  MinuteCount,
  Pong,
  Recovered,
  ServerMessage,
  SessionUpdate,
  Snapshot,
  Update,
} from "../contracts.gen";

/** The history's answer about one session. */
export interface DetailAnswer {
  readonly session: SessionUpdate;
  readonly events: readonly EnrichedEvent[];
  readonly events_truncated: boolean;
  readonly why: Biography;
}

export const ABSORB_MS = 1_400;
export const LIT_MS = 3_000;

/** A message of the live feed; `local` is this machine's clock. */
export function received(model: Model, message: ServerMessage, local: number): Model {
  const heard = withLink(model, { phase: "open", lastMessage: local });
  switch (message.type) {
    case "snapshot":
      return withSnapshot(withReturn(opened(heard, local), model.link, null), message);
    case "recovered":
      return withRecovered(opened(heard, local), model.link, message);
    case "update":
      return withUpdate(heard, message, local);
    case "heartbeat":
      return withHeartbeat(heard, message, local);
    case "pong":
      return withPong(heard, message, local);
    case "goodbye":
      return heard;
  }
}

function opened(model: Model, local: number): Model {
  return withLink(model, { opened: local });
}

export function withLink(model: Model, part: Partial<Link>): Model {
  return { ...model, link: { ...model.link, ...part } };
}

/** Replaces all that was known: sessions may have changed unseen while the line was down. */
function withSnapshot(model: Model, message: Snapshot): Model {
  const { book } = record(EMPTY_BOOK, message.sessions);
  return {
    ...model,
    live: { book, counts: message.counts, feed: withEvents([], message.events) },
    leftOut: 0,
    isCrowded: model.isCrowded || isMoreThanTheBook(message.counts),
    earlier: { state: "idle", cursor: null },
  };
}

/** Notes that the connection is back; there is nothing to say of the very first. */
function withReturn(model: Model, before: Link, missed: number | null): Model {
  const at = model.link.lastMessage;
  const wasAway = before.opened !== null && before.phase !== "open";
  return wasAway && at !== null ? { ...model, returned: { at, missed } } : model;
}

/** What was missed joins what was known: nothing on the page jumps. */
function withRecovered(model: Model, before: Link, message: Recovered): Model {
  return withReturn(withChanges(model, message), before, message.sessions.length);
}

function withUpdate(model: Model, message: Update, local: number): Model {
  return withLink(withChanges(model, message), { pipelineSeen: local });
}

function withChanges(model: Model, message: Update | Recovered): Model {
  const { book, changed, absorbed } = record(model.live.book, message.sessions);
  const counts = mergedCounts(model.live.counts, message.counts, message.server_time);
  return {
    ...model,
    live: { book, counts, feed: withEvents(model.live.feed, message.events) },
    leftOut: message.type === "update" ? message.events_left_out : 0,
    isCrowded: model.isCrowded || isMoreThanTheBook(counts),
    paused: model.paused && {
      ...model.paused,
      fresh: new Set([...model.paused.fresh, ...changed]),
    },
    effects: model.paused
      ? model.effects
      : withAbsorptions(revived(model.effects, book), absorbed, message.server_time),
  };
}

/** Once so, it stays: counts of a narrowed feed say nothing of the others. */
function isMoreThanTheBook(counts: LiveCounts | null): boolean {
  const { people, bots } = presence(counts);
  return people + bots > BOOK_LIMIT;
}

/** A message may bring only the minutes that changed, so they are laid over the known ones. */
function mergedCounts(
  known: LiveCounts | null,
  counts: LiveCounts | null,
  now: number,
): LiveCounts | null {
  if (counts === null) return known;
  const minutes = new Map<number, MinuteCount>();
  for (const each of [...(known?.minutes ?? []), ...counts.minutes]) minutes.set(each.minute, each);
  const oldest = now - (MINUTES_SHOWN + 1) * MINUTE_MS;
  return { ...counts, minutes: [...minutes.values()].filter((each) => each.minute >= oldest) };
}

/** A session may come back before it is gone: then it leaves no more. */
function revived(effects: Effects, book: Book): Effects {
  const leaving = [...effects.leaving].filter(([id]) => book.get(id)?.status === "merged");
  return { ...effects, leaving: new Map(leaving) };
}

function withAbsorptions(effects: Effects, absorbed: readonly Absorption[], now: number): Effects {
  const leaving = new Map(effects.leaving);
  const lit = new Map(effects.lit);
  for (const { from, into } of absorbed) {
    leaving.set(from, { until: now + ABSORB_MS, into });
    lit.set(into, now + LIT_MS);
  }
  return { leaving, lit };
}

/** Forgets the effects that are over. The same model when there is none. */
export function withoutPastEffects(model: Model, now: number): Model {
  const { leaving, lit } = model.effects;
  const left = [...leaving].filter(([, { until }]) => until > now);
  const glowing = [...lit].filter(([, until]) => until > now);
  if (left.length === leaving.size && glowing.length === lit.size) return model;
  return { ...model, effects: { leaving: new Map(left), lit: new Map(glowing) } };
}

function withHeartbeat(model: Model, message: Heartbeat, local: number): Model {
  const age = message.pipeline_age_ms;
  return withLink(model, { pipelineSeen: age === null ? null : local - age });
}

function withPong(model: Model, message: Pong, local: number): Model {
  return { ...model, clock: withSample(model.clock, clockSample(message, local)) };
}

/** What an update's newest response led to reached the screen at `local`. */
export function painted(model: Model, way: Way, local: number): Model {
  if (model.clock.length === 0) return model;
  const sample = delaySample(way, serverTime(model, local));
  return { ...model, delays: withDelay(model.delays, sample) };
}

export function togglePause(model: Model, local: number): Model {
  const paused = model.paused
    ? null
    : { scene: model.live, since: local, fresh: new Set<string>() };
  return { ...model, paused };
}

/** The user asked for other rows: nothing has to stay where it stood. */
export function withFilters(model: Model, filters: Filters): Model {
  return {
    ...model,
    filters,
    shown: [],
    rowLimit: FIRST_ROWS,
    earlier: { state: "idle", cursor: null },
  };
}

/** Whether the history can answer for these filters. It lists no merged sessions. */
export function asksHistory(filters: Filters): boolean {
  return !filters.status.some((status) => plainValue(status) === "merged");
}

/** The next page of the list, and where the one after it begins. */
export function withEarlier(
  model: Model,
  sessions: readonly SessionUpdate[],
  cursor: string | null,
): Model {
  return {
    ...withHistory(model, sessions),
    earlier: { state: cursor ? "idle" : "end", cursor },
  };
}

/** Sessions from the history join what is on screen, paused or not. */
export function withHistory(model: Model, sessions: readonly SessionUpdate[]): Model {
  const add = (scene: Scene): Scene => ({ ...scene, book: record(scene.book, sessions).book });
  return {
    ...model,
    live: add(model.live),
    paused: model.paused && { ...model.paused, scene: add(model.paused.scene) },
  };
}

/** Whether more visitors are here than the snapshot told: it holds the newest sessions only. */
export function lacksPresent(model: Model, now: number): boolean {
  const { people, bots } = presence(model.live.counts);
  return sessionsHere(model.live.book, now).length < people + bots;
}

/** The chart's bars: of the scene on screen, up to the moment it was paused at. */
export function bars(model: Model, now: number): MinuteCount[] {
  return lastHour(scene(model).counts?.minutes ?? [], now);
}

/** Shows at once what is known; the events follow. */
export function openedDetail(model: Model, id: string): Detail {
  const session = scene(model).book.get(id) ?? null;
  return { id, state: "loading", session, events: [], truncated: false, why: null };
}

export function withDetail(model: Model, id: string, answer: DetailAnswer): Model {
  if (model.detail?.id !== id) return model;
  const { session, events, events_truncated: truncated, why } = answer;
  return { ...model, detail: { id, state: "ready", session, events, truncated, why } };
}

/** Events that were already there stay: a failed refresh takes nothing away. */
export function withoutDetail(model: Model, id: string, state: "missing" | "failed"): Model {
  if (model.detail?.id !== id || model.detail.state === "ready") return model;
  return { ...model, detail: { ...model.detail, state } };
}
