import { describe, expect, it } from "vitest";
import {
  clockOffset,
  clockSample,
  delaySample,
  quantile,
  wayOf,
  withDelay,
  withSample,
  type DelaySample,
} from "./delay";
import { NOON, session, update } from "./session.fixture";

const pong = (sent: number, server: number) => ({
  type: "pong" as const,
  sent,
  server_time: server,
});

describe("the clock's offset", () => {
  it("takes the server's time to lie in the middle of the round trip", () => {
    expect(clockSample(pong(1_000, 6_050), 1_100)).toEqual({ offset: 5_000, roundTrip: 100 });
  });

  it("trusts the quickest round trip", () => {
    const samples = [
      clockSample(pong(1_000, 6_500), 2_000),
      clockSample(pong(3_000, 8_010), 3_020),
      clockSample(pong(5_000, 9_000), 6_000),
    ];
    expect(clockOffset(samples)).toBe(5_000);
  });

  it("is not known before the first pong", () => {
    expect(clockOffset([])).toBeNull();
  });

  it("forgets round trips of long ago", () => {
    let samples = [{ offset: 1, roundTrip: 0 }];
    for (let index = 0; index < 8; index++)
      samples = withSample(samples, { offset: 2, roundTrip: 9 });
    expect(clockOffset(samples)).toBe(2);
  });
});

describe("the delay", () => {
  const way = { responded: 1_000, stored: 1_020, processed: 1_400, told: 1_450 };

  it("has its parts, which make up the whole", () => {
    const whole = { site: 20, kafka: 380, job: 50, api: 60, total: 510 };
    expect(delaySample(way, 1_510)).toEqual(whole);
  });

  it("leaves out a part that clocks tell nonsense about, or nobody told", () => {
    const odd = delaySample({ ...way, stored: 990, processed: null }, 1_510);
    expect(odd).toEqual({ site: null, kafka: null, job: null, api: 60, total: 510 });
  });

  it("of an update is that of its newest response", () => {
    const newest = session({ last_seen: NOON, broker_time: NOON + 5, processed_time: NOON + 300 });
    const message = update(1, [session({ last_seen: NOON - 9 }), newest]);
    expect(wayOf(message)).toBeNull();
    expect(wayOf({ ...message, newest_response: NOON, server_time: NOON + 350 })).toEqual({
      responded: NOON,
      stored: NOON + 5,
      processed: NOON + 300,
      told: NOON + 350,
    });
  });

  const samples = Array.from({ length: 400 }, (_, index) => delaySample(way, 1_450 + index));

  it("is told as quantiles of the last 300", () => {
    const kept = samples.reduce<DelaySample[]>(withDelay, []);
    expect(kept.length).toBe(300);
    expect(quantile(kept, "api", 0.5)).toBe(249);
    expect(quantile(kept, "api", 0.99)).toBe(396);
  });

  it("is not known before anything was measured", () => {
    expect(quantile([], "total", 0.5)).toBeNull();
  });
});
