import { describe, expect, it } from "vitest";
import { filterQuery, filtersFrom, isFiltering, matches, NO_FILTERS } from "./filters";
import { bot, session } from "./session.fixture";

const shop = session({ entry_page: "/", exit_page: "/p/Oak-Desk" });

describe("a session matches", () => {
  it.each([
    [{}, true],
    [{ country: "DE" }, true],
    [{ country: "FR" }, false],
    [{ country: "unknown" }, false],
    [{ status: "open" as const }, true],
    [{ status: "final" as const }, false],
    [{ bots: "people" as const }, true],
    [{ bots: "bots" as const }, false],
    [{ channel: "direct" }, true],
    [{ channel: "email" }, false],
    [{ page: "oak" }, true],
    [{ page: "  /P/ " }, true],
    [{ page: "/cart" }, false],
    [{ country: "DE", page: "/cart" }, false],
  ])("%j: %s", (part, expected) => {
    expect(matches(shop, { ...NO_FILTERS, ...part })).toBe(expected);
  });

  it("as a bot, only where bots are wanted", () => {
    expect(matches(bot(), { ...NO_FILTERS, bots: "bots" })).toBe(true);
    expect(matches(bot(), { ...NO_FILTERS, bots: "people" })).toBe(false);
  });

  it("without a place, as unknown", () => {
    expect(matches(session({ geo: null }), { ...NO_FILTERS, country: "unknown" })).toBe(true);
  });

  it("once merged, only when asked for", () => {
    const merged = session({ status: "merged", merged_into: "s2" });
    expect(matches(merged, NO_FILTERS)).toBe(false);
    expect(matches(merged, { ...NO_FILTERS, status: "merged" })).toBe(true);
  });
});

describe("the URL", () => {
  it("gives back the filters that were written into it", () => {
    const filters = {
      country: "DE",
      status: "open",
      bots: "people",
      channel: "paid_search",
      page: "/c/a b&c",
    } as const;
    expect(filtersFrom(filterQuery(filters))).toEqual(filters);
  });

  it("is empty without filters", () => {
    expect(filterQuery(NO_FILTERS)).toBe("");
    expect(isFiltering(NO_FILTERS)).toBe(false);
  });

  it.each(["?status=asleep&bots=maybe&country=Germany", "?x=1", "?country=<b>", ""])(
    "%s asks for nothing that is known",
    (query) => {
      expect(filtersFrom(query)).toEqual(NO_FILTERS);
    },
  );

  it("may name a country in small letters", () => {
    expect(filtersFrom("?country=de").country).toBe("DE");
  });
});
