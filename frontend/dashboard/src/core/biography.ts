// How a session came to be, as the history tells it, in the reader's words.
import { span } from "./format";
import { t } from "./language";

/** The visitor's session before or after. */
export interface Neighbour {
  readonly session_id: string;
  readonly start: number;
  readonly end: number;
}

/** An event of the session's time that came when it was final, so it is no part of it. */
export interface TooLate {
  readonly event_id: string;
  readonly event_time: number;
  readonly path: string;
  readonly late_ms: number;
  readonly reason: string;
}

/** A state that it had from `recorded` on; 0 is from before such times were kept. */
export interface Revision {
  readonly epoch: number;
  readonly revision: number;
  readonly status: string;
  readonly start: number;
  readonly end: number;
  readonly events: number;
  readonly recorded: number;
}

interface Boundary {
  readonly reason: string;
  readonly detail: string;
  readonly silence_ms: number | null;
}

/** `why` of `/api/v1/sessions/{id}`. Lists have the newest 100, the newest first. */
export interface Biography {
  readonly begins: Boundary & { readonly previous: Neighbour | null };
  readonly ends: Boundary & { readonly next: Neighbour | null; readonly expires: number };
  readonly took_in: readonly (Neighbour & { readonly recorded: number })[];
  readonly late: readonly TooLate[];
  readonly revisions: readonly Revision[];
}

/** Why it begins with its first event. A reason of a later version is told in its own words. */
export function whyItBegins({ begins }: Biography): string {
  const { begins: texts } = t().session;
  const silence = span(begins.silence_ms ?? 0);
  switch (begins.reason) {
    case "first":
      return texts.first;
    case "silence":
      return texts.silence(silence);
    case "cut_count":
      return texts.cutCount;
    case "cut_length":
      return texts.cutLength;
    case "other_rules":
      return texts.otherRules;
    default:
      return begins.detail;
  }
}

/** What cut it short, if it did not end by silence; null if it did, or is open. */
export function whatCutIt({ ends }: Biography): string | null {
  const { cuts } = t().session;
  if (ends.reason === "cut_count") return cuts.count;
  return ends.reason === "cut_length" ? cuts.length : null;
}

/** How long after it the visitor came again; null if not yet. */
export function whenTheyCame({ ends }: Biography): string | null {
  return ends.silence_ms === null ? null : t().session.cameAgain(span(ends.silence_ms));
}
