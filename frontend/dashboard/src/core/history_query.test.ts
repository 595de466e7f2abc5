import { describe, expect, it } from "vitest";
import { instantsOf } from "./calendar";
import { NO_FILTERS } from "./filters";
import { exportPath, rankingPath, seriesPath, sessionsPath, type Scope } from "./history_query";

const SCOPE: Scope = {
  filters: { ...NO_FILTERS, country: ["DE", "!FR"] },
  withBots: false,
  instants: instantsOf({ first: "2026-03-29", last: "2026-03-29" }, "Europe/Berlin"),
  timeZone: "Europe/Berlin",
};

const asked = (path: string) => Object.fromEntries(new URL(path, "http://localhost").searchParams);

describe("a question", () => {
  it("is about the days of the place, however long they are", () => {
    expect(seriesPath(SCOPE, true)).toMatch(/^\/stats\/timeseries\?country=DE&country=%21FR&/);
    expect(asked(seriesPath(SCOPE, true))).toMatchObject({
      from: "2026-03-28T23:00:00.000Z",
      to: "2026-03-29T22:00:00.000Z",
      tz: "Europe/Berlin",
      compare: "previous",
    });
    expect(asked(seriesPath(SCOPE, false))).not.toHaveProperty("compare");
  });

  it("leaves bots out unless the page or a filter wants them", () => {
    const bots = (scope: Scope) => asked(seriesPath(scope, false))["bots"];
    expect(bots(SCOPE)).toBe("exclude");
    expect(bots({ ...SCOPE, withBots: true })).toBe("include");
    expect(bots({ ...SCOPE, filters: { ...SCOPE.filters, bots: ["only"] } })).toBe("only");
  });

  it("never looks for merged sessions", () => {
    const filters = { ...NO_FILTERS, status: ["merged", "final"] };
    expect(seriesPath({ ...SCOPE, filters }, false)).toMatch(/\?status=final&bots/);
  });

  it("is about one dimension or two", () => {
    expect(rankingPath(SCOPE, ["path"], "views", false)).toMatch(/^\/stats\/top\?.*dimension=path/);
    const two = rankingPath(SCOPE, ["country", "device"], "visitors", false);
    expect(two).toMatch(/^\/stats\/breakdown\?/);
    expect(asked(two)).toMatchObject({ dimensions: "country,device", sort: "visitors" });
  });

  it("pages through the sessions, and counts them with the first page", () => {
    const first = asked(sessionsPath(SCOPE, "-duration", ["session_id", "start"], null));
    expect(first).toMatchObject({
      sort: "-duration",
      fields: "session_id,start",
      count: "estimated",
    });
    const second = asked(sessionsPath(SCOPE, "-duration", ["session_id", "start"], "abc"));
    expect(second).toMatchObject({ cursor: "abc" });
    expect(second).not.toHaveProperty("count");
  });

  it("exports the same sessions", () => {
    expect(asked(exportPath(SCOPE, "start", ["session_id"], "parquet"))).toMatchObject({
      format: "parquet",
      sort: "start",
      from: "2026-03-28T23:00:00.000Z",
    });
  });
});
