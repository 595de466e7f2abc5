import { describe, expect, it } from "vitest";
import { badge, NO_LINK, retryDelay, type Link } from "./connection";
import { NOON } from "./session.fixture";

const live: Link = { phase: "open", opened: NOON, lastMessage: NOON, pipelineSeen: NOON };

describe("the badge", () => {
  it("is connecting, then reconnecting, before anything came", () => {
    expect(badge(NO_LINK, null, NOON).kind).toBe("connecting");
    expect(badge({ ...NO_LINK, phase: "waiting" }, null, NOON).kind).toBe("reconnecting");
  });

  it("is live for 12 s after a message, then stale since that message", () => {
    expect(badge(live, null, NOON + 12_000).kind).toBe("live");
    expect(badge(live, null, NOON + 12_001)).toEqual({
      kind: "stale",
      since: NOON,
      cause: "connection",
    });
  });

  it("is reconnecting at first when the socket closes, stale when that lasts", () => {
    const closed: Link = { ...live, phase: "waiting" };
    expect(badge(closed, null, NOON + 3_000).kind).toBe("reconnecting");
    expect(badge(closed, null, NOON + 13_000).kind).toBe("stale");
  });

  it("is stale when the server answers but the job writes nothing", () => {
    const idle: Link = { ...live, pipelineSeen: NOON - 31_000 };
    expect(badge(idle, null, NOON)).toMatchObject({ kind: "stale", cause: "pipeline" });
  });

  it("gives a job that has never written half a minute before it says so", () => {
    const unheard: Link = { ...live, pipelineSeen: null };
    expect(badge(unheard, null, NOON).kind).toBe("live");
    const later: Link = { ...unheard, lastMessage: NOON + 30_000 };
    expect(badge(later, null, NOON + 30_000).kind).toBe("live");
    expect(badge(later, null, NOON + 30_001)).toEqual({
      kind: "stale",
      since: NOON,
      cause: "absent",
    });
  });

  it("is sampled instead of live when the page holds a part only", () => {
    expect(badge(live, null, NOON, true).kind).toBe("sampled");
    expect(badge(live, NOON, NOON, true).kind).toBe("paused");
  });

  it("is paused whatever the connection does", () => {
    expect(badge(NO_LINK, NOON, NOON)).toEqual({ kind: "paused", since: NOON });
  });
});

describe("the wait before trying again", () => {
  it("doubles up to 15 s", () => {
    expect([0, 1, 2, 3, 4, 5, 60].map((attempt) => retryDelay(attempt, 1))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
    ]);
  });

  it("is cut by half at most, by chance", () => {
    expect(retryDelay(3, 0)).toBe(2_000);
  });
});
