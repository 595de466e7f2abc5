import { describe, expect, it } from "vitest";
import { EMPTY_BOOK, record } from "./book";
import { MINUTE, NOON, session } from "./session.fixture";

const known = record(EMPTY_BOOK, [session({ epoch: 2, revision: 5, pages: 3 })]).book;

describe("only the highest (epoch, revision) counts", () => {
  it.each([
    { epoch: 2, revision: 6, taken: true },
    { epoch: 2, revision: 5, taken: false },
    { epoch: 2, revision: 4, taken: false },
    { epoch: 3, revision: 1, taken: true },
    { epoch: 1, revision: 9, taken: false },
  ])("epoch $epoch, revision $revision: $taken", ({ epoch, revision, taken }) => {
    const { book, changed } = record(known, [session({ epoch, revision, pages: 7 })]);
    expect(book.get("s1")?.pages).toBe(taken ? 7 : 3);
    expect(changed).toEqual(taken ? ["s1"] : []);
  });
});

describe("merging", () => {
  const merged = session({ revision: 2, status: "merged", merged_into: "s2" });

  it("is reported once, when a known session becomes part of another", () => {
    const first = record(EMPTY_BOOK, [session(), session({ session_id: "s2" })]);
    const second = record(first.book, [merged]);
    expect(second.absorbed).toEqual([{ from: "s1", into: "s2" }]);
    const third = record(second.book, [{ ...merged, revision: 3 }]);
    expect(third.absorbed).toEqual([]);
  });

  it("of a session that was never shown is no news", () => {
    expect(record(EMPTY_BOOK, [merged]).absorbed).toEqual([]);
  });
});

it("leaves the book before as it was", () => {
  record(known, [session({ epoch: 9 })]);
  expect(known.get("s1")?.epoch).toBe(2);
});

it("forgets what is over before what is open", () => {
  const many = Array.from({ length: 20 }, (_, index) =>
    session({
      session_id: `s${index}`,
      end: NOON + index * MINUTE,
      status: index < 10 ? "open" : "closed",
    }),
  );
  const { book } = record(EMPTY_BOOK, many, 10);
  expect(book.has("s0")).toBe(true);
  expect(book.has("s19")).toBe(false);
});

it("forgets the sessions with the oldest activity beyond its limit", () => {
  const many = Array.from({ length: 20 }, (_, index) =>
    session({ session_id: `s${index}`, end: NOON + index * MINUTE }),
  );
  const { book } = record(EMPTY_BOOK, many, 10);
  expect(book.size).toBe(10);
  expect(book.has("s19")).toBe(true);
  expect(book.has("s9")).toBe(false);
});
