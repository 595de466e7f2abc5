// How long an event takes to reach this screen, and where on the way, by the server's clock.
import type { Pong, Update } from "../contracts.gen";

/** One ping's round trip: how far the server's clock is ahead, and how sure that is. */
export interface ClockSample {
  readonly offset: number;
  readonly roundTrip: number;
}

/** From the end of the site's response: to Kafka, to the job, to the API, to this screen. */
export const PARTS = ["site", "kafka", "job", "api", "total"] as const;
export type Part = (typeof PARTS)[number];

/** One update's delay in ms; a part that could not be measured is null. */
export type DelaySample = Readonly<Record<Part, number | null>>;

/** When the newest response behind an update was where; the server's clock, ms. */
export interface Way {
  readonly responded: number;
  readonly stored: number | null;
  readonly processed: number | null;
  readonly told: number;
}

const CLOCK_SAMPLES = 8;
const DELAY_SAMPLES = 300;

export function clockSample(pong: Pong, received: number): ClockSample {
  const roundTrip = Math.max(0, received - pong.sent);
  return { offset: pong.server_time - (pong.sent + received) / 2, roundTrip };
}

export function withSample(samples: readonly ClockSample[], sample: ClockSample): ClockSample[] {
  return [...samples, sample].slice(-CLOCK_SAMPLES);
}

/** The offset of the quickest round trip: the less time it took, the less it can be wrong. */
export function clockOffset(samples: readonly ClockSample[]): number | null {
  if (samples.length === 0) return null;
  return samples.reduce((best, each) => (each.roundTrip < best.roundTrip ? each : best)).offset;
}

/** The way of an update's newest response, or null when it holds none. */
export function wayOf(update: Update): Way | null {
  const responded = update.newest_response;
  if (responded === null) return null;
  const session = update.sessions.find((each) => each.last_seen === responded);
  return {
    responded,
    stored: session?.broker_time ?? null,
    processed: session?.processed_time ?? null,
    told: update.server_time,
  };
}

/** What it took until `painted`. Clocks of several machines may say nonsense: then null. */
export function delaySample(way: Way, painted: number): DelaySample {
  const { responded, stored, processed, told } = way;
  return {
    site: between(responded, stored),
    kafka: between(stored, processed),
    job: between(processed, told),
    api: between(told, painted),
    total: Math.max(0, painted - responded),
  };
}

function between(from: number | null, to: number | null): number | null {
  return from === null || to === null || to < from ? null : to - from;
}

export function withDelay(delays: readonly DelaySample[], delay: DelaySample): DelaySample[] {
  return [...delays, delay].slice(-DELAY_SAMPLES);
}

/** The value below which the share `at` of those measured lie (the nearest rank), or null. */
export function quantile(delays: readonly DelaySample[], part: Part, at: number): number | null {
  const values = delays.map((each) => each[part]).filter((value) => value !== null);
  if (values.length === 0) return null;
  const sorted = values.sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(at * sorted.length) - 1)]!;
}
