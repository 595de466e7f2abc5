import { describe, expect, it } from "vitest";
import { clockOffset, clockSample, median, withDelay, withSample } from "./delay";

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
  it("is the middle of the last ones, so one hiccup does not show", () => {
    expect(median([300, 9_000, 500])).toBe(500);
    expect(median([400, 200])).toBe(200);
    expect(median([])).toBeNull();
  });

  it("is never negative, and keeps the last fifty", () => {
    let delays: number[] = [];
    for (let index = 0; index < 60; index++) delays = withDelay(delays, index - 5);
    expect(delays).toHaveLength(50);
    expect(withDelay([], -20)).toEqual([0]);
  });
});
