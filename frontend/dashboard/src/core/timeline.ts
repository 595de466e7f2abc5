// One session's events as a story: with its pauses, and with why it began and ended.
import type { EnrichedEvent, SessionUpdate } from "../contracts.gen";
import type { TooLate } from "./biography";
import { span } from "./format";
import { t } from "./language";

export const IDLE_MS = 60_000;

/** An event that reached the topic so long after it happened came late: from a tunnel, say. */
export const LATE_MS = 60_000;

export type Item =
  | { readonly kind: "event"; readonly event: EnrichedEvent; readonly sinceStart: number }
  | { readonly kind: "idle"; readonly ms: number; readonly after: string }
  | { readonly kind: "late"; readonly late: TooLate };

export function timeline(events: readonly EnrichedEvent[], idleMs: number = IDLE_MS): Item[] {
  const ordered = [...events].sort(byTime);
  const readings = ordered.filter((event) => event.engaged_ms);
  const start = ordered[0]?.event_time ?? 0;
  return ordered.flatMap((event, index) => {
    const item: Item = { kind: "event", event, sinceStart: event.event_time - start };
    const previous = ordered[index - 1];
    if (!previous || event.event_time - previous.event_time < idleMs) return [item];
    const pause = silence(previous.event_time, event.event_time, readings);
    if (pause < idleMs) return [item];
    return [{ kind: "idle", ms: pause, after: previous.event_id } satisfies Item, item];
  });
}

/** The timeline with the events that came too late to be in it, where they would have been. */
export function withLate(items: readonly Item[], late: readonly TooLate[]): Item[] {
  const waiting = [...late].sort((a, b) => a.event_time - b.event_time);
  const placed = items.flatMap((item): Item[] => {
    if (item.kind !== "event") return [item];
    const before = waiting.filter(({ event_time: time }) => time < item.event.event_time);
    waiting.splice(0, before.length);
    return [...before.map(lateItem), item];
  });
  return [...placed, ...waiting.map(lateItem)];
}

function lateItem(late: TooLate): Item {
  return { kind: "late", late };
}

/** How long after it happened an event came, if that is worth a word; else null. */
export function lateness(event: EnrichedEvent): number | null {
  const ms = event.broker_time - event.event_time;
  return ms >= LATE_MS ? ms : null;
}

/** How long a pause is, of the longest one in the timeline: from 0 to 1. */
export function idleShare(ms: number, items: readonly Item[]): number {
  const longest = Math.max(0, ...items.map((item) => (item.kind === "idle" ? item.ms : 0)));
  return longest === 0 ? 0 : ms / longest;
}

/** The time between two events without that in which a page was read, by the reports of it. */
function silence(from: number, to: number, readings: readonly EnrichedEvent[]): number {
  return readings.reduce((left, { event_time: end, engaged_ms: engaged = 0 }) => {
    const read = Math.min(end, to) - Math.max(end - engaged, from);
    return left - Math.max(read, 0);
  }, to - from);
}

function byTime(a: EnrichedEvent, b: EnrichedEvent): number {
  return (
    a.event_time - b.event_time ||
    a.sequence - b.sequence ||
    (a.event_id < b.event_id ? -1 : Number(a.event_id > b.event_id))
  );
}

/** A custom event's properties, as ``plan=pro, seats=3``. */
export function propertiesText(event: EnrichedEvent): string {
  const pairs = Object.entries(event.properties ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.join(", ");
}

/** The silence that ends this session, as its own times tell it. */
export function gapOf(session: SessionUpdate): number {
  return session.expires - session.end;
}

export function whyItBegan(session: SessionUpdate): string {
  return t().session.began(span(gapOf(session)));
}

/** `at` turns a time into text, in the zone the reader chose. */
export function whyItEnded(session: SessionUpdate, at: (ms: number) => string): string {
  const gap = span(gapOf(session));
  const told = t().session;
  switch (session.status) {
    case "open":
      return told.stillOpen(at(session.expires), gap);
    case "closed":
      return told.closed(gap, at(session.end));
    case "final":
      return told.final(gap, at(session.end));
    case "merged":
      return told.merged;
  }
}

export function flagMeaning(flag: string): string {
  const { meanings } = t().session;
  return Object.hasOwn(meanings, flag) ? meanings[flag]! : flag;
}
