import { describe, expect, it } from "vitest";
import { NO_FILTERS } from "./filters";
import { START_VIEW, viewFrom, withFilters, withView, zoneFrom, type View } from "./history_view";

const VIEW: View = {
  period: { first: "2026-03-01", last: "2026-03-07" },
  compare: true,
  measure: "bounces",
  withBots: true,
  tables: [["country", "device"], ["utm_campaign"]],
  sort: "-duration",
};

describe("the view in the address", () => {
  it("is read as it was written", () => {
    const query = withView("", VIEW, "Europe/Berlin");
    expect(viewFrom(query)).toEqual(VIEW);
    expect(zoneFrom(query)).toBe("Europe/Berlin");
  });

  it("says nothing but the time zone in the beginning", () => {
    expect(withView("", START_VIEW, "UTC")).toBe("tz=UTC");
    expect(viewFrom("")).toEqual(START_VIEW);
    expect(zoneFrom("")).toBe("");
  });

  it("ignores what it does not know", () => {
    const query = "range=ever&measure=luck&by=colour&order=-luck&compare=yes";
    expect(viewFrom(query)).toEqual(START_VIEW);
  });

  it("leaves the filters beside it alone, as they leave it", () => {
    const filters = { ...NO_FILTERS, country: ["DE", "!FR"], q: "shoes" };
    const filtered = withFilters("range=30d&country=US", filters);
    expect(filtered).toBe("range=30d&country=DE&country=%21FR&q=shoes");
    expect(withView(filtered, START_VIEW, "UTC")).toBe("country=DE&country=%21FR&q=shoes&tz=UTC");
    expect(withFilters(filtered, NO_FILTERS)).toBe("range=30d");
  });
});
