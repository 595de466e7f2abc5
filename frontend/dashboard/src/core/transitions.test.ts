import { describe, expect, it } from "vitest";
import { quantile } from "./delay";
import { NO_FILTERS } from "./filters";
import { INITIAL, newestState, scene, type Model } from "./model";
import { event, MINUTE, NOON, session, update } from "./session.fixture";
import * as next from "./transitions";
import type { Recovered, Snapshot } from "../contracts.gen";

const snapshot: Snapshot = {
  type: "snapshot",
  sequence: 1,
  position: "x.1",
  server_time: NOON,
  recovered: false,
  events: [],
  sessions: [session({ session_id: "a" }), session({ session_id: "b" })],
  counts: {
    open_sessions: 2,
    open_bots: 0,
    minutes: [
      { minute: NOON - 70 * MINUTE, pages: 1, api_calls: 0 },
      { minute: NOON - MINUTE, pages: 1, api_calls: 0 },
    ],
  },
};

const started = next.received(INITIAL, snapshot, NOON);

describe("after the connection was away", () => {
  const missed: Recovered = {
    ...snapshot,
    type: "recovered",
    recovered: true,
    sessions: [session({ session_id: "b", revision: 2 }), session({ session_id: "c" })],
  };

  const away = next.withLink(started, { phase: "connecting" });

  it("what was missed joins what was known, and is counted", () => {
    const model = next.received(away, missed, NOON + 5_000);
    expect([...model.live.book.keys()].sort()).toEqual(["a", "b", "c"]);
    expect(model.live.book.get("b")?.revision).toBe(2);
    expect(model.returned).toEqual({ at: NOON + 5_000, missed: 2 });
  });

  it("a paused page counts what was missed among the changes", () => {
    const model = next.received(next.togglePause(away, NOON), missed, NOON + 5_000);
    expect(model.paused?.fresh).toEqual(new Set(["b", "c"]));
  });

  it("says so when the server could not tell what was missed", () => {
    const model = next.received(away, snapshot, NOON + 5_000);
    expect(model.returned).toEqual({ at: NOON + 5_000, missed: null });
  });

  it("has nothing to say when the server begins anew by itself", () => {
    expect(next.received(started, snapshot, NOON + 5_000).returned).toBeNull();
  });

  it("has nothing to say of the first connection", () => {
    expect(started.returned).toBeNull();
  });
});

describe("messages", () => {
  it("a snapshot replaces what was known: it may have changed unseen", () => {
    const other = { ...snapshot, sessions: [session({ session_id: "c" })] };
    const model = next.received(started, other, NOON);
    expect([...model.live.book.keys()]).toEqual(["c"]);
    expect(model.link.opened).toBe(NOON);
  });

  it("an update brings new states and counts", () => {
    const changed = session({ session_id: "a", revision: 2, pages: 2 });
    const model = next.received(started, update(2, [changed]), NOON + 100);
    expect(model.live.book.get("a")?.pages).toBe(2);
    expect(model.live.book.get("b")?.pages).toBe(1);
    expect(model.live.counts?.open_sessions).toBe(1);
    expect(model.link).toMatchObject({ phase: "open", lastMessage: NOON + 100 });
  });

  it("an update may bring only the minutes that changed", () => {
    const counts = {
      open_sessions: 2,
      open_bots: 0,
      minutes: [{ minute: NOON, pages: 1, api_calls: 2 }],
    };
    const model = next.received(started, update(2, [], { counts }), NOON);
    expect(model.live.counts?.minutes.map((each) => each.minute)).toEqual([NOON - MINUTE, NOON]);
    expect(
      next
        .bars(model, NOON)
        .slice(-2)
        .map((bar) => bar.pages),
    ).toEqual([1, 1]);
  });

  it("a heartbeat says when the job last wrote, by this clock", () => {
    const beat = {
      type: "heartbeat",
      sequence: 2,
      position: null,
      server_time: 0,
      pipeline_age_ms: 800,
    } as const;
    expect(next.received(started, beat, NOON).link.pipelineSeen).toBe(NOON - 800);
    const unknown = { ...beat, pipeline_age_ms: null };
    expect(next.received(started, unknown, NOON).link.pipelineSeen).toBeNull();
  });
});

describe("merged sessions", () => {
  const merged = session({ session_id: "a", revision: 2, status: "merged", merged_into: "b" });
  const model = next.received(started, update(2, [merged]), NOON);

  it("leave with a short effect, and light up the one that took them in", () => {
    expect([...model.effects.leaving.keys()]).toEqual(["a"]);
    expect([...model.effects.lit.keys()]).toEqual(["b"]);
  });

  it("flow into the last of a chain", () => {
    const chain = [
      merged,
      session({ session_id: "b", revision: 2, status: "merged", merged_into: "c" }),
      session({ session_id: "c" }),
    ];
    const both = next.received(started, update(2, chain), NOON);
    expect(both.effects.leaving.get("a")?.into).toBe("c");
    expect([...both.effects.lit.keys()]).toEqual(["c"]);
  });

  it("leave no more when they come back", () => {
    const back = session({ session_id: "a", revision: 3 });
    expect(next.received(model, update(3, [back]), NOON).effects.leaving.size).toBe(0);
  });

  it("do not stir a paused page", () => {
    const paused = next.received(next.togglePause(started, NOON), update(2, [merged]), NOON);
    expect(paused.effects).toEqual(started.effects);
    expect(scene(paused).book.get("a")?.status).toBe("open");
  });

  it("are forgotten when the effect is over", () => {
    expect(next.withoutPastEffects(model, NOON + 1)).toBe(model);
    const later = next.withoutPastEffects(model, NOON + next.ABSORB_MS);
    expect(later.effects.leaving.size).toBe(0);
    expect(later.effects.lit.size).toBe(1);
  });
});

describe("the delay", () => {
  const way = { responded: NOON + 60_000, stored: null, processed: null, told: NOON + 60_100 };

  it("is measured with the server's clock", () => {
    const pong = { type: "pong", sent: NOON, server_time: NOON + 60_000 } as const;
    const model = next.painted(next.received(started, pong, NOON), way, NOON + 400);
    expect(quantile(model.delays, "total", 0.5)).toBe(400);
  });

  it("is not guessed before the clocks are compared", () => {
    expect(next.painted(started, way, NOON + 400)).toBe(started);
  });
});

describe("pausing", () => {
  const paused = next.togglePause(started, NOON);
  const changed = session({ session_id: "a", revision: 2, pages: 9 });
  const meanwhile = [changed, session({ session_id: "c" })].reduce<Model>(
    (model, each, index) => next.received(model, update(2 + index, [each]), NOON),
    paused,
  );

  it("holds the scene still and counts each session that changed once", () => {
    expect(scene(meanwhile).book.get("a")?.pages).toBe(1);
    expect([...(meanwhile.paused?.fresh ?? [])]).toEqual(["a", "c"]);
  });

  it("shows all of it on resuming", () => {
    const resumed = next.togglePause(meanwhile, NOON);
    expect(scene(resumed).book.get("a")?.pages).toBe(9);
    expect(scene(resumed).book.has("c")).toBe(true);
  });

  it("still lets earlier sessions in that the reader asks for", () => {
    const model = next.withEarlier(meanwhile, [session({ session_id: "old" })], "cursor");
    expect(scene(model).book.has("old")).toBe(true);
    expect(model.earlier).toEqual({ state: "idle", cursor: "cursor" });
  });
});

it("more visitors may be here than the snapshot told", () => {
  expect(next.lacksPresent(started, NOON)).toBe(false);
  const counts = { ...snapshot.counts!, open_sessions: 2, open_bots: 1 };
  const model = next.received(INITIAL, { ...snapshot, counts }, NOON);
  expect(next.lacksPresent(model, NOON)).toBe(true);
  const whole = next.withHistory(model, [session({ session_id: "of old" })]);
  expect(next.lacksPresent(whole, NOON)).toBe(false);
});

it("the history's last page ends the list", () => {
  expect(next.withEarlier(started, [], null).earlier.state).toBe("end");
});

it("the history is asked about what it can answer: it lists no merged sessions", () => {
  expect(next.asksHistory({ ...NO_FILTERS, country: ["!DE"] })).toBe(true);
  expect(next.asksHistory({ ...NO_FILTERS, status: ["merged"] })).toBe(false);
});

describe("one session's detail", () => {
  const opened = { ...started, detail: next.openedDetail(started, "a") };
  const answer = {
    session: session({ session_id: "a", revision: 3 }),
    events: [event("e1", NOON)],
    events_truncated: false,
    why: {
      begins: { reason: "first", detail: "", silence_ms: null, previous: null },
      ends: { reason: "open", detail: "", silence_ms: null, next: null, expires: NOON },
      took_in: [],
      late: [],
      revisions: [],
    },
  };

  it("shows what is known at once, then its events", () => {
    expect(opened.detail.session?.session_id).toBe("a");
    const model = next.withDetail(opened, "a", answer);
    expect(model.detail).toMatchObject({ state: "ready", truncated: false });
    expect(newestState(model, model.detail!)?.revision).toBe(3);
  });

  it("ignores an answer about another session", () => {
    expect(next.withDetail(opened, "b", answer)).toBe(opened);
  });

  it("keeps its events when a later request fails", () => {
    const ready = next.withDetail(opened, "a", answer);
    expect(next.withoutDetail(ready, "a", "failed")).toBe(ready);
    expect(next.withoutDetail(opened, "a", "missing").detail?.state).toBe("missing");
  });
});
