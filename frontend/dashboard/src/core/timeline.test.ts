import { describe, expect, it } from "vitest";
import type { TooLate } from "./biography";
import { event, MINUTE, NOON, session } from "./session.fixture";
import {
  flagMeaning,
  idleShare,
  lateness,
  propertiesText,
  timeline,
  whyItBegan,
  whyItEnded,
  withLate,
  type Item,
} from "./timeline";

const told = (item: Item) => {
  if (item.kind === "idle") return item.ms;
  return item.kind === "late" ? `late ${item.late.event_id}` : item.event.event_id;
};

const tooLate = (id: string, time: number): TooLate => ({
  event_id: id,
  event_time: time,
  path: "/tunnel",
  late_ms: 20 * MINUTE,
  reason: "session_final",
});

const utc = (ms: number) => new Date(ms).toISOString().slice(11, 19);

describe("the timeline", () => {
  it("shows a pause of a minute and more between two events", () => {
    const items = timeline([
      event("a", NOON),
      event("b", NOON + 59_999),
      event("c", NOON + 5 * MINUTE),
    ]);
    expect(items.map(told)).toEqual(["a", "b", 4 * MINUTE + 1, "c"]);
  });

  it("puts events in order: by time, then sequence, then id", () => {
    const items = timeline([
      event("d", NOON + 1),
      event("c", NOON, { sequence: 1 }),
      event("b", NOON),
      event("a", NOON),
    ]);
    expect(items.map((item) => item.kind === "event" && item.event.event_id)).toEqual([
      "a",
      "b",
      "c",
      "d",
    ]);
  });

  it("counts from the first event", () => {
    const last = timeline([event("a", NOON), event("b", NOON + 30_000)]).at(-1);
    expect(last).toMatchObject({ sinceStart: 30_000 });
  });

  it("takes the time that a page was read for no pause", () => {
    const read = event("b", NOON + 5 * MINUTE, { kind: "engagement", engaged_ms: 4 * MINUTE + 1 });
    expect(timeline([event("a", NOON), read]).map((item) => item.kind)).toEqual(["event", "event"]);
    const between = event("c", NOON + 2 * MINUTE, { kind: "custom", name: "signup" });
    expect(timeline([event("a", NOON), between, read]).map((item) => item.kind)).toEqual([
      "event",
      "event",
      "event",
    ]);
    const away = { ...read, engaged_ms: MINUTE };
    expect(timeline([event("a", NOON), away])[1]).toMatchObject({ kind: "idle", ms: 4 * MINUTE });
  });

  it("shows a custom event's properties", () => {
    const signup = event("a", NOON, { kind: "custom", properties: { plan: "pro", seats: 3 } });
    expect(propertiesText(signup)).toBe("plan=pro, seats=3");
    expect(propertiesText(event("b", NOON))).toBe("");
  });

  it("has what came too late where it would have been", () => {
    const items = timeline([event("a", NOON), event("b", NOON + 10 * MINUTE)]);
    const late = [tooLate("z", NOON + 11 * MINUTE), tooLate("y", NOON + 2 * MINUTE)];
    expect(withLate(items, late).map(told)).toEqual(["a", 10 * MINUTE, "late y", "b", "late z"]);
  });

  it("says which events came long after they happened", () => {
    expect(lateness(event("a", NOON, { broker_time: NOON + 50 }))).toBeNull();
    expect(lateness(event("a", NOON, { broker_time: NOON + 5 * MINUTE }))).toBe(5 * MINUTE);
  });

  it("measures its pauses by the longest", () => {
    const items = timeline([
      event("a", NOON),
      event("b", NOON + 2 * MINUTE),
      event("c", NOON + 10 * MINUTE),
    ]);
    expect(idleShare(2 * MINUTE, items)).toBe(0.25);
    expect(idleShare(8 * MINUTE, items)).toBe(1);
    expect(idleShare(MINUTE, [])).toBe(0);
  });

  it("of no events is empty", () => {
    expect(timeline([])).toEqual([]);
  });
});

describe("a session explains its boundaries by its own gap", () => {
  it("its beginning", () => {
    const short = session({ expires: NOON + 10 * MINUTE });
    expect(whyItBegan(short)).toContain("more than 10 min");
  });

  it.each([
    ["open", "closes after 12:30:00"],
    ["closed", "within 30 min after 12:00:00"],
    ["final", "never changes again"],
    ["merged", "became one"],
  ] as const)("its end when it is %s", (status, words) => {
    expect(whyItEnded(session({ status }), utc)).toContain(words);
  });

  it("and its flags, even those of a later version", () => {
    expect(flagMeaning("cut_length")).toContain("longest time");
    expect(flagMeaning("from_the_future")).toBe("from_the_future");
  });
});
