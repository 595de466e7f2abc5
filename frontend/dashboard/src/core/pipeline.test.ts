import { describe, expect, it } from "vitest";
import type { InterceptorStats } from "../contracts.gen";
import {
  backfillCommand,
  backfillPeriod,
  batchFigures,
  byReason,
  bytes,
  isAtEnd,
  processState,
  readable,
  role,
  split,
  type LateItem,
} from "./pipeline";

it("parts what needs somebody from what works", () => {
  const one = (level: "ok" | "note" | "problem") => ({ check: level, level, what: "", todo: "" });
  const [open, fine] = split([one("problem"), one("note"), one("ok")]);
  expect([open.map((f) => f.check), fine.map((f) => f.check)]).toEqual([
    ["problem", "note"],
    ["ok"],
  ]);
});

it.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1.0 kB"],
  [9_960, "10 kB"],
  [999_600, "1.0 MB"],
  [63_000_000, "63 MB"],
  [2.5e15, "2500 TB"],
])("reads %d bytes as %s", (size, text) => {
  expect(bytes(size)).toBe(text);
});

it("has the middle and the longest of the batches", () => {
  const batch = (batch_ms: number) => ({ time: 0, batch: 0, batch_ms, rows: 0 });
  expect(batchFigures([batch(300), batch(2_000), batch(200)])).toEqual({
    median: 300,
    longest: 2_000,
  });
  expect(batchFigures([])).toBeNull();
});

describe("a site's process", () => {
  const told = (at: number) => ({ told: at }) as InterceptorStats;

  it("is silent after a minute without a word", () => {
    expect(processState(told(1_000), 61_000)).toBe("hearing");
    expect(processState(told(1_000), 61_001)).toBe("silent");
    expect(processState(told(0), 61_001)).toBe("unknown");
  });

  it("tells reasons, the largest first", () => {
    expect(byReason({ killed: 1, queue_full: 30 }, String)).toBe("30 queue full, 1 killed");
    expect(byReason({}, String)).toBe("0");
  });
});

it("knows the end of time and a topic's role", () => {
  expect([isAtEnd(2 ** 53), isAtEnd(1_772_366_400_000)]).toEqual([true, false]);
  expect(role("clickwake.staging.requests")).toBe("requests");
});

it("breaks JSON into lines and leaves the rest", () => {
  expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(readable('{"a":')).toBe('{"a":');
});

it("asks a backfill for a day around the events", () => {
  const late = (event_time: number) => ({ event: { event_time } }) as LateItem;
  expect(backfillPeriod([late(200_000_000), late(100_000_000)])).toEqual({
    from: 13_600_000,
    to: 286_400_000,
  });
  expect(backfillPeriod([])).toBeNull();
  expect(backfillCommand({ from: 1_772_366_400_000, to: 1_772_366_460_999 })).toBe(
    "./clickwake backfill --from 2026-03-01T12:00:00Z --to 2026-03-01T12:01:00Z",
  );
});
