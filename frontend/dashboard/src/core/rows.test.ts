import { describe, expect, it } from "vitest";
import { INITIAL, type Model } from "./model";
import { arranged } from "./rows";
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
    const open = arranged(withFilters(showing("a", "b"), { status: "open" }), NOON);
    const closed = { ...at("a", 2, 2), status: "closed" as const };
    expect(change({ ...open, pointed: "a" }, closed).shown).toEqual(["a", "b"]);
    expect(change(open, closed).shown).toEqual(["b"]);
  });

  it("gives way when the reader asks for other rows", () => {
    const model = { ...showing("a", "b"), pointed: "a" };
    expect(arranged(withFilters(model, { country: "FR" }), NOON).shown).toEqual([]);
  });
});

it("a merged session stays in its place while it is being absorbed", () => {
  const model = showing("a", "b", "c");
  const merged = { ...at("b", 2, 2), status: "merged" as const, merged_into: "c" };
  const leaving = change(model, merged);
  expect(leaving.shown).toEqual(["a", "b", "c"]);
  expect(arranged(leaving, NOON + 5_000).shown).toEqual(["a", "c"]);
});

it("there are no more rows than the limit, but all are counted", () => {
  const model = arranged({ ...showing("a", "b", "c"), shown: [], rowLimit: 2 }, NOON);
  expect(model.shown).toEqual(["a", "b"]);
  expect(model.matching).toBe(3);
});
