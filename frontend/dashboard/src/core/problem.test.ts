import { describe, expect, it } from "vitest";
import { isPassing, problemOf } from "./problem";

const UNKNOWN = { title: "No answer", detail: "Try again." };

describe("a problem", () => {
  it("says what the server says, and which parameter was wrong", () => {
    const body = {
      title: "Unprocessable Entity",
      detail: "These parameters are wrong: 'tz'; see errors.",
      errors: [{ in: "query", parameter: "tz", detail: "must be an IANA time zone" }],
    };
    expect(problemOf(422, body, UNKNOWN)).toEqual({
      status: 422,
      title: "Unprocessable Entity",
      detail: "These parameters are wrong: 'tz'; see errors. tz: must be an IANA time zone.",
    });
  });

  it.each([null, "<html>", 7])("has words of its own for %j", (body) => {
    expect(problemOf(502, body, UNKNOWN)).toEqual({ status: 502, ...UNKNOWN });
  });

  it("passes by itself when the server is away or busy", () => {
    const passing = [0, 404, 422, 429, 500, 503].map((status) => isPassing({ status, ...UNKNOWN }));
    expect(passing).toEqual([true, false, false, true, true, true]);
  });
});
