import { describe, expect, it } from "vitest";
import { NO_FILTERS } from "./filters";
import { INITIAL, type Model } from "./model";
import { arranged, isLeaving, rowsToward } from "./rows";
import { MINUTE, NOON, session, update } from "./session.fixture";
import { received, withFilters } from "./transitions";

const at = (id: string, minutes: number, revision = 1) =>
  session({ session_id: id, start: NOON, end: NOON + minutes * MINUTE, revision });

function showing(...ids: string[]): Model {
  const sessions = ids.map((id, index) => at(id, ids.length - index));
  return arranged(received(INITIAL, update(1, sessions), NOON), NOON);
}

const change = (model: Model, ...sessions: ReturnType<typeof session>[]) =>
  arranged(received(model, update(2, sessions), NOON), NOON);

it("the newest activity comes first", () => {
  const model = showing("a", "b", "c");
  expect(model.shown).toEqual(["a", "b", "c"]);
  expect(change(model, at("c", 9, 2)).shown).toEqual(["c", "a", "b"]);
});

describe("the row under the pointer or in focus", () => {
  it("does not move when it changes", () => {
    const model = { ...showing("a", "b", "c"), pointed: "b" };
    expect(change(model, at("b", 9, 2)).shown).toEqual(["a", "b", "c"]);
  });

  it("does not move when others change or arrive", () => {
    const model = { ...showing("a", "b", "c"), focused: "b" };
    expect(change(model, at("c", 9, 2), at("d", 8)).shown).toEqual(["c", "b", "d", "a"]);
  });

  it("stays even when it no longer matches the filter", () => {
    const open = arranged(
      withFilters(showing("a", "b"), { ...NO_FILTERS, status: ["open"] }),
      NOON,
    );
    const closed = { ...at("a", 2, 2), status: "closed" as const };
    expect(change({ ...open, pointed: "a" }, closed).shown).toEqual(["a", "b"]);
    expect(change(open, closed).shown).toEqual(["b"]);
  });

  it("gives way when the reader asks for other rows", () => {
    const model = { ...showing("a", "b"), pointed: "a" };
    expect(arranged(withFilters(model, { ...NO_FILTERS, country: ["FR"] }), NOON).shown).toEqual(
      [],
    );
  });
});

it("a merged session stays in its place while it is being absorbed", () => {
  const model = showing("a", "b", "c");
  const merged = { ...at("b", 2, 2), status: "merged" as const, merged_into: "c" };
  const leaving = change(model, merged);
  expect(leaving.shown).toEqual(["a", "b", "c"]);
  expect(arranged(leaving, NOON + 5_000).shown).toEqual(["a", "c"]);
});

describe("a row that is being absorbed", () => {
  const into = (id: string, target: string) => ({
    ...at(id, 2, 2),
    status: "merged" as const,
    merged_into: target,
  });

  it("goes towards the row that takes it in", () => {
    expect(rowsToward(change(showing("a", "b", "c"), into("b", "c")), "b")).toBe(1);
    expect(rowsToward(change(showing("a", "b", "c"), into("c", "a")), "c")).toBe(-2);
  });

  it("fades where it stands when that row is not shown", () => {
    expect(rowsToward(change(showing("a", "b"), into("b", "elsewhere")), "b")).toBe(0);
  });

  it("does not fly across a long list", () => {
    const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
    expect(rowsToward(change(showing(...ids), into("s39", "s0")), "s39")).toBe(-8);
  });

  it("stands still under the pointer and in focus, until the reader leaves it", () => {
    const model = change({ ...showing("a", "b", "c"), pointed: "b" }, into("b", "c"));
    expect(isLeaving(model, "b")).toBe(false);
    expect(arranged(model, NOON + 5_000).shown).toEqual(["a", "b", "c"]);
    expect(arranged({ ...model, pointed: null }, NOON + 5_000).shown).toEqual(["a", "c"]);
    expect(isLeaving({ ...model, pointed: null }, "b")).toBe(true);
  });
});

it("there are no more rows than the limit, but all are counted", () => {
  const model = arranged({ ...showing("a", "b", "c"), shown: [], rowLimit: 2 }, NOON);
  expect(model.shown).toEqual(["a", "b"]);
  expect(model.matching).toBe(3);
});
