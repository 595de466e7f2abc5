import { expect, it } from "vitest";
import { withEvents } from "./feed_list";
import { event, NOON } from "./session.fixture";

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => event(`e${from + index}`, NOON + index));

it("the newest event comes first", () => {
  const feed = withEvents(withEvents([], numbered(0, 2)), numbered(2, 4));
  expect(feed.map((each) => each.event_id)).toEqual(["e3", "e2", "e1", "e0"]);
});

it("only so many are kept", () => {
  const feed = withEvents(numbered(0, 100).reverse(), numbered(100, 400));
  expect(feed.length).toBe(150);
  expect(feed[0]?.event_id).toBe("e399");
});

it("nothing new leaves the list as it is", () => {
  const feed = withEvents([], numbered(0, 2));
  expect(withEvents(feed, [])).toBe(feed);
});
