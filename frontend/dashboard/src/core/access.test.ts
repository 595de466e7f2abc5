import { describe, expect, test } from "vitest";
import { isLockedOut, isLoggedIn, refusal, type Standing } from "./access";

const STRANGER: Standing = { needs_key: true, key_id: null, name: "", scopes: [], expires: null };
const READER: Standing = { ...STRANGER, key_id: "0123456789ab", scopes: ["read"] };
const OPEN: Standing = { ...STRANGER, needs_key: false, scopes: ["ingest", "read", "admin"] };

describe("who is locked out", () => {
  test.each([
    ["before the server has said anything", null, false],
    ["a stranger where keys are needed", STRANGER, true],
    ["a reader", READER, false],
    ["a key that may only send events", { ...READER, scopes: ["ingest"] }, true],
    ["anyone where no keys are needed", OPEN, false],
  ])("%s", (_who, standing, expected) => {
    expect(isLockedOut(standing)).toBe(expected);
  });
});

test("only a log-in can be ended", () => {
  expect([null, STRANGER, OPEN, READER].map(isLoggedIn)).toEqual([false, false, false, true]);
});

test("a refused log-in says why", () => {
  expect(refusal(401, "long")).toBe("This key is wrong, revoked or expired.");
  expect(refusal(429, "Try again in 6 s.")).toBe("Try again in 6 s.");
  expect(refusal(0, undefined)).toContain("Try again");
});
