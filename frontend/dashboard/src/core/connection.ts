// What the connection badge says, and when to try again.

export const STALE_AFTER_MS = 12_000;
/** The job writes at least its watermark records every few seconds. */
export const PIPELINE_STALE_AFTER_MS = 30_000;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 15_000;

export interface Link {
  readonly phase: "connecting" | "open" | "waiting";
  /** This clock, at the connection's snapshot; null before the first. */
  readonly opened: number | null;
  /** This clock, at the last message; null before the first. */
  readonly lastMessage: number | null;
  /** When the job last wrote anything, by this clock; null when nobody has heard of it yet. */
  readonly pipelineSeen: number | null;
}

export const NO_LINK: Link = {
  phase: "connecting",
  opened: null,
  lastMessage: null,
  pipelineSeen: null,
};

export type Badge =
  | { readonly kind: "connecting" | "live" | "reconnecting" | "sampled" }
  | { readonly kind: "paused"; readonly since: number }
  | { readonly kind: "stale"; readonly since: number; readonly cause: StaleCause };

/** The server is silent; the job is silent; the job has never said a word. */
export type StaleCause = "connection" | "pipeline" | "absent";

/** Pausing hides what arrives, so it comes first; silence is worse than a closed socket. */
export function badge(
  link: Link,
  pausedSince: number | null,
  now: number,
  isSampled: boolean = false,
): Badge {
  if (pausedSince !== null) return { kind: "paused", since: pausedSince };
  if (link.lastMessage === null) {
    return { kind: link.phase === "waiting" ? "reconnecting" : "connecting" };
  }
  if (isSilent(link, now)) return { kind: "stale", since: link.lastMessage, cause: "connection" };
  if (link.phase !== "open") return { kind: "reconnecting" };
  const heard = link.pipelineSeen ?? link.opened ?? now;
  if (now - heard <= PIPELINE_STALE_AFTER_MS) return { kind: isSampled ? "sampled" : "live" };
  return { kind: "stale", since: heard, cause: link.pipelineSeen === null ? "absent" : "pipeline" };
}

export function isSilent(link: Link, now: number): boolean {
  return link.lastMessage !== null && now - link.lastMessage > STALE_AFTER_MS;
}

/**
 * How long to wait before attempt number `attempt` (from 0): doubling, up to 15 s, and half of
 * it by chance, so that a restarted server does not meet all dashboards at once.
 */
export function retryDelay(attempt: number, random: number): number {
  const whole = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** attempt);
  return Math.round(whole * (0.5 + random / 2));
}
