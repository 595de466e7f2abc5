// How long an event takes to reach this screen, measured with the server's clock.
import type { Pong } from "../contracts.gen";

/** One ping's round trip: how far the server's clock is ahead, and how sure that is. */
export interface ClockSample {
  readonly offset: number;
  readonly roundTrip: number;
}

const CLOCK_SAMPLES = 8;
const DELAY_SAMPLES = 50;

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

export function withDelay(delays: readonly number[], delay: number): number[] {
  return [...delays, Math.max(0, delay)].slice(-DELAY_SAMPLES);
}

/** The middle value (the lower of two), or null without any. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)]!;
}
