import { describe, expect, it } from "vitest";
import {
  choiceOf,
  filterQuery,
  filtersFrom,
  isFiltering,
  NO_FILTERS,
  opposite,
  toggled,
} from "./filters";

describe("the URL", () => {
  it("gives back the filters that were written into it", () => {
    const filters = {
      ...NO_FILTERS,
      country: ["DE", "!FR"],
      status: ["open"],
      bots: ["exclude"],
      channel: ["paid"],
      city: ["Frankfurt, Oder", ""],
      path: ["/c/a b&c", "/blog/*"],
      q: "oak desk",
    };
    expect(filtersFrom(filterQuery(filters))).toEqual(filters);
  });

  it("is empty without filters", () => {
    expect(filterQuery(NO_FILTERS)).toBe("");
    expect(isFiltering(NO_FILTERS)).toBe(false);
    expect(isFiltering({ ...NO_FILTERS, q: "x" })).toBe(true);
  });

  it.each(["?status=asleep&bots=maybe&country=Germany", "?x=1", "?country=<b>", ""])(
    "%s asks for nothing that is known",
    (query) => {
      expect(filtersFrom(query)).toEqual(NO_FILTERS);
    },
  );

  it("may name a country in small letters, and a value twice", () => {
    expect(filtersFrom("?country=de&country=DE&country=!Unknown").country).toEqual([
      "DE",
      "!unknown",
    ]);
  });
});

describe("choosing a value", () => {
  const german = toggled(NO_FILTERS, "country", "DE");

  it("adds it, and takes it back the second time", () => {
    expect(german.country).toEqual(["DE"]);
    expect(toggled(german, "country", "DE").country).toEqual([]);
    expect(toggled(german, "country", "FR").country).toEqual(["DE", "FR"]);
  });

  it("excluded, takes the place of wanted", () => {
    const others = toggled(german, "country", opposite("country", "DE"));
    expect(others.country).toEqual(["!DE"]);
    expect(choiceOf(others, "country", "DE")).toBe("excluded");
    expect(choiceOf(german, "country", "DE")).toBe("wanted");
    expect(choiceOf(german, "country", "FR")).toBe("free");
  });

  it("of bots, is all or none of them", () => {
    const only = toggled(NO_FILTERS, "bots", "only");
    expect(toggled(only, "bots", opposite("bots", "only")).bots).toEqual(["exclude"]);
  });
});
