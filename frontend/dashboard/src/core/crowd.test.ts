import { describe, expect, it } from "vitest";
import { EMPTY_BOOK, record } from "./book";
import { begunByMinute, crowd, eventsOf, headcount, sessionAt, tallied } from "./crowd";
import { NO_FILTERS } from "./filters";
import { bot, event, MINUTE, NOON, place, session } from "./session.fixture";

const paris = session({
  session_id: "a",
  visitor_id: "va",
  start: NOON - 2 * MINUTE,
  end: NOON,
  exit_page: "/cart",
  geo: place("FR", 48.9, 2.4),
});
const crawler = bot({ session_id: "b", visitor_id: "vb", exit_page: "/robots.txt" });
const gone = session({ session_id: "c", visitor_id: "vc", status: "closed", exit_page: "/cart" });
const { book } = record(EMPTY_BOOK, [paris, crawler, gone]);
const french = { ...NO_FILTERS, country: ["FR"] };

describe("who is here", () => {
  it("is open and meets the filters", () => {
    const ids = (filters: typeof NO_FILTERS) =>
      crowd(book, filters, NOON).map((each) => each.session_id);
    expect(ids(NO_FILTERS)).toEqual(["a", "b"]);
    expect(ids(french)).toEqual(["a"]);
    expect(crowd(book, NO_FILTERS, NOON + 40 * MINUTE)).toEqual([]);
  });

  it("is counted by the server without filters, by the book with them", () => {
    const counts = { open_sessions: 7_000, open_bots: 12, minutes: [] };
    const here = crowd(book, { ...NO_FILTERS, country: ["!GB"] }, NOON);
    const scene = { book, counts, feed: [] };
    expect(headcount(scene, NO_FILTERS, here)).toEqual({ people: 7_000, bots: 12 });
    expect(headcount(scene, french, here)).toEqual({ people: 1, bots: 1 });
  });

  it("is tallied by any filter's values, most first", () => {
    expect(tallied([paris, crawler, gone], "exit")).toEqual([
      { value: "/cart", sessions: 2 },
      { value: "/robots.txt", sessions: 1 },
    ]);
    expect(tallied([paris], "referrer_domain")).toEqual([{ value: "", sessions: 1 }]);
  });
});

it("sessions are counted in the minute in which they began", () => {
  const begun = begunByMinute(book, NO_FILTERS, NOON + 10_000);
  expect(begun.length).toBe(60);
  expect(begun.slice(-3)).toEqual([1, 0, 2]);
  expect(begunByMinute(book, french, NOON).slice(-3)).toEqual([1, 0, 0]);
});

it("events are those of sessions that meet the filters", () => {
  const feed = [
    event("e1", NOON, { visitor_id: "va" }),
    event("e2", NOON, { visitor_id: "vb" }),
    event("e3", NOON, { visitor_id: "nobody known" }),
  ];
  expect(eventsOf(feed, book, NO_FILTERS)).toBe(feed);
  expect(eventsOf(feed, book, french).map((each) => each.event_id)).toEqual(["e1"]);
});

it("an event is part of the session that was not over at its time", () => {
  expect(sessionAt([paris], NOON)).toBe(paris);
  expect(sessionAt([paris], NOON - 3 * MINUTE)).toBeUndefined();
});
