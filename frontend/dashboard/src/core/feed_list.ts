// The newest events, for the list of what happens.
import type { EnrichedEvent } from "../contracts.gen";

const KEPT = 150;

/** `added` come oldest first, as the server tells them; the list has the newest first. */
export function withEvents(
  feed: readonly EnrichedEvent[],
  added: readonly EnrichedEvent[],
): readonly EnrichedEvent[] {
  if (added.length === 0) return feed;
  const newest = added.slice(-KEPT).reverse();
  return [...newest, ...feed].slice(0, KEPT);
}
