// What a screen reader hears: the gist, and not too often.
import type { Badge } from "./connection";
import { plural } from "./format";
import type { Presence } from "./presence";

export const QUIET_MS = 15_000;

export interface Spoken {
  readonly text: string;
  readonly at: number;
}

/** The next thing to say, or what was said already while it is too early or nothing changed. */
export function announce(last: Spoken | null, text: string, now: number): Spoken {
  if (last && (now - last.at < QUIET_MS || last.text === text)) return last;
  return { text, at: now };
}

export function gist(badge: Badge, here: Presence, fresh: number): string {
  const people = `${plural(here.people, "person", "people")} and ${plural(here.bots, "bot")} here now.`;
  switch (badge.kind) {
    case "connecting":
      return "Connecting to the live feed.";
    case "reconnecting":
      return "Connection lost, reconnecting.";
    case "stale":
      return "The view is stale: nothing new arrives.";
    case "paused":
      return `Paused. ${plural(fresh, "session")} changed since.`;
    case "live":
      return `Live. ${people}`;
  }
}
