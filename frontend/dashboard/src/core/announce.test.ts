import { expect, it } from "vitest";
import { announce, gist } from "./announce";
import { NOON } from "./session.fixture";

it("speaks at most every 15 s", () => {
  const first = announce(null, "Live.", NOON);
  expect(announce(first, "Stale.", NOON + 14_999)).toBe(first);
  expect(announce(first, "Stale.", NOON + 15_000).text).toBe("Stale.");
});

it("does not repeat itself", () => {
  const first = announce(null, "Live.", NOON);
  expect(announce(first, "Live.", NOON + 60_000)).toBe(first);
});

it("says who is here, or what is wrong", () => {
  const here = { people: 1, bots: 2 };
  expect(gist({ kind: "live" }, here, 0)).toBe("Live. 1 person and 2 bots here now.");
  expect(gist({ kind: "paused", since: NOON }, here, 42)).toBe(
    "Paused. 42 sessions changed since.",
  );
  expect(gist({ kind: "stale", since: NOON, cause: "connection" }, here, 0)).toContain("stale");
});
