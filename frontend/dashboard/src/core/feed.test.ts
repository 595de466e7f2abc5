import { describe, expect, it } from "vitest";
import { heard, hello, NO_LINE, redialled, resubscribed, type Line } from "./feed";
import { EVERYTHING } from "./subscription";
import { update } from "./session.fixture";
import type { ServerMessage } from "../contracts.gen";

const line: Line = { sequence: 4, position: "x.1", retryMs: null };

function whole(type: "snapshot" | "recovered", sequence: number): ServerMessage {
  const { newest_response: _, events_left_out: __, ...rest } = update(sequence, []);
  return { ...rest, type, recovered: type === "recovered", position: "x.9" };
}

describe("what a connection has heard", () => {
  it("goes on with the next number, and knows how far it is", () => {
    const after = heard(line, update(5, [], { position: "x.2" }));
    expect(after).toEqual({ sequence: 5, position: "x.2", retryMs: null });
  });

  it.each([4, 6, 1])("after 4, %d means that something was missed", (sequence) => {
    expect(heard(line, update(sequence, []))).toBeNull();
  });

  it.each(["snapshot", "recovered"] as const)("begins anew with a %s", (type) => {
    expect(heard(line, whole(type, 1))).toEqual({ sequence: 1, position: "x.9", retryMs: null });
  });

  it("counts no pong", () => {
    expect(heard(line, { type: "pong", sent: 0, server_time: 0 })).toBe(line);
  });

  it("remembers when the server wants to see it again", () => {
    const after = heard(line, { type: "goodbye", retry_ms: 700 });
    expect(after).toEqual({ ...line, retryMs: 700 });
  });
});

describe("the next connection", () => {
  it("has nowhere to go on from at first", () => {
    expect(hello(NO_LINE, EVERYTHING).resume).toBeNull();
  });

  it("goes on where the last one was, and expects a first message", () => {
    const next = redialled({ ...line, retryMs: 700 });
    expect(hello(next, EVERYTHING).resume).toBe("x.1");
    expect(hello(resubscribed(next), EVERYTHING).resume).toBeNull();
    expect(next).toEqual({ sequence: 0, position: "x.1", retryMs: null });
    expect(heard(next, update(5, []))).toBeNull();
  });
});
