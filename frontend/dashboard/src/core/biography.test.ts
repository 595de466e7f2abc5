import { afterEach, describe, expect, it } from "vitest";
import { whatCutIt, whenTheyCame, whyItBegins, type Biography } from "./biography";
import { speak } from "./language";

const HOUR = 3_600_000;

function why(begins: string, ends: string, silence: number | null = null): Biography {
  const told = { detail: "As the server says it.", silence_ms: silence };
  return {
    begins: { reason: begins, previous: null, ...told },
    ends: { reason: ends, next: null, expires: 0, ...told },
    took_in: [],
    late: [],
    revisions: [],
  };
}

afterEach(() => speak("en"));

describe("why a session begins", () => {
  it.each([
    ["first", "first session"],
    ["silence", "2 h of silence"],
    ["cut_count", "as many events"],
    ["cut_length", "as long as"],
    ["other_rules", "clickwake verify"],
    ["of_a_later_version", "As the server says it."],
  ])("by %s", (reason, words) => {
    expect(whyItBegins(why(reason, "open", 2 * HOUR))).toContain(words);
  });

  it("in the reader's language", () => {
    speak("de");
    expect(whyItBegins(why("silence", "open", 2 * HOUR))).toContain("2 h");
  });
});

describe("why a session ends", () => {
  it("may be that it was full", () => {
    expect(whatCutIt(why("first", "cut_length"))).toContain("as long as");
    expect(whatCutIt(why("first", "cut_count"))).toContain("as many events");
    expect(whatCutIt(why("first", "silence"))).toBeNull();
  });

  it("goes with when the visitor came again", () => {
    expect(whenTheyCame(why("first", "silence", HOUR))).toContain("1 h");
    expect(whenTheyCame(why("first", "open"))).toBeNull();
  });
});
