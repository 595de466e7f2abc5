import { describe, expect, it } from "vitest";
import { NO_FILTERS } from "./filters";
import { matcher, matches } from "./matching";
import { bot, session } from "./session.fixture";

const shop = session({ entry_page: "/", exit_page: "/p/Oak-Desk" });

describe("a session matches", () => {
  it.each([
    [{}, true],
    [{ country: ["DE"] }, true],
    [{ country: ["FR", "DE"] }, true],
    [{ country: ["FR"] }, false],
    [{ country: ["!FR"] }, true],
    [{ country: ["!DE"] }, false],
    [{ country: ["DE", "!DE"] }, false],
    [{ country: ["unknown"] }, false],
    [{ city: [""] }, true],
    [{ city: ["!"] }, false],
    [{ status: ["open"] }, true],
    [{ status: ["final"] }, false],
    [{ bots: ["exclude"] }, true],
    [{ bots: ["only"] }, false],
    [{ channel: ["direct"] }, true],
    [{ channel: ["email"] }, false],
    [{ browser: ["Firefox"], os: ["!Linux"] }, false],
    [{ entry: ["/"] }, true],
    [{ entry: ["/p/*"] }, false],
    [{ exit: ["/p/*"] }, true],
    [{ exit: ["/p/oak-desk"] }, false],
    [{ exit: ["/p/Oak?Desk"] }, true],
    [{ exit: ["/p.Oak*"] }, false],
    [{ path: ["/"] }, true],
    [{ path: ["!/p/*"] }, false],
    [{ q: "oak" }, true],
    [{ q: "  DESK oak " }, true],
    [{ q: "oak /cart" }, false],
    [{ country: ["DE"], q: "/cart" }, false],
  ])("%j: %s", (part, expected) => {
    expect(matches(shop, { ...NO_FILTERS, ...part })).toBe(expected);
  });

  it("as a bot, only where bots are wanted", () => {
    expect(matches(bot(), { ...NO_FILTERS, bots: ["only"] })).toBe(true);
    expect(matches(bot(), { ...NO_FILTERS, bots: ["exclude"] })).toBe(false);
  });

  it("without a place, as unknown", () => {
    expect(matches(session({ geo: null }), { ...NO_FILTERS, country: ["unknown"] })).toBe(true);
  });

  it("once merged, only when asked for", () => {
    const merged = session({ status: "merged", merged_into: "s2" });
    expect(matches(merged, NO_FILTERS)).toBe(false);
    expect(matches(merged, { ...NO_FILTERS, status: ["!open"] })).toBe(false);
    expect(matches(merged, { ...NO_FILTERS, status: ["merged"] })).toBe(true);
  });
});

it("the same filters are read once", () => {
  expect(matcher(NO_FILTERS)).toBe(matcher(NO_FILTERS));
});
