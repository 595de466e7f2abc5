import { expect, it } from "vitest";
import { nextSequence } from "./feed";
import { update } from "./session.fixture";

it("the next number follows", () => {
  expect(nextSequence(4, update(5, []))).toBe(5);
});

it.each([4, 6, 1])("after 4, %d means that something was missed", (sequence) => {
  expect(nextSequence(4, update(sequence, []))).toBeNull();
});

it("a snapshot begins anew", () => {
  const { newest_response: _, ...rest } = update(1, []);
  expect(nextSequence(40, { ...rest, type: "snapshot" })).toBe(1);
});

it("a pong stands outside the sequence", () => {
  expect(nextSequence(4, { type: "pong", sent: 0, server_time: 0 })).toBe(4);
});
