// What a screen reader hears: the gist, and not too often.
import type { Badge } from "./connection";
import { plural } from "./format";
import { t } from "./language";
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
  const { spoken, live } = t();
  switch (badge.kind) {
    case "connecting":
    case "reconnecting":
    case "stale":
      return spoken[badge.kind];
    case "paused":
      return spoken.paused(plural(fresh, ...live.session));
    case "live":
    case "sampled":
      return spoken.live(plural(here.people, ...live.person), plural(here.bots, ...live.bot));
  }
}
