// Which sessions the list shows, and where each one stands.
import { byNewestActivity } from "./book";
import { matcher } from "./matching";
import { scene, type Model } from "./model";
import { pinsAt, withPins } from "./order";
import type { SessionUpdate } from "../contracts.gen";

/** The model with its rows in place for `now`, the server's clock. */
export function arranged(model: Model, now: number): Model {
  const held = heldRows(model, now);
  const test = matcher(model.filters);
  const candidates: SessionUpdate[] = [];
  for (const session of scene(model).book.values()) {
    if (test(session) || held.has(session.session_id)) candidates.push(session);
  }
  const ids = newest(candidates, held, model.rowLimit).map((session) => session.session_id);
  return {
    ...model,
    shown: withPins(ids, pinsAt(model.shown, held)),
    matching: candidates.length,
  };
}

/** Rows that stay where they are, even if they no longer match: see `order.ts`. */
function heldRows(model: Model, now: number): Set<string> {
  const leaving = [...model.effects.leaving].filter(([, { until }]) => until > now);
  const wanted = [model.pointed, model.focused, ...leaving.map(([id]) => id)];
  const shown = new Set(model.shown);
  return new Set(wanted.filter((id) => id !== null && shown.has(id)) as string[]);
}

/** The `limit` newest and the held ones. Sorting thousands at each drawing would cost frames. */
function newest(
  candidates: readonly SessionUpdate[],
  held: ReadonlySet<string>,
  limit: number,
): SessionUpdate[] {
  const oldest = limit < candidates.length ? nthNewest(candidates, limit) : -Infinity;
  return candidates
    .filter((session) => session.last_seen >= oldest || held.has(session.session_id))
    .sort(byNewestActivity)
    .filter((session, index) => index < limit || held.has(session.session_id));
}

/** The activity of the `nth` of them, from 1. Numbers alone are sorted much faster. */
function nthNewest(candidates: readonly SessionUpdate[], nth: number): number {
  const times = Float64Array.from(candidates, (session) => session.last_seen).sort();
  return times[times.length - nth]!;
}

/** How far a row that is being absorbed goes: never across the whole list. */
const FARTHEST = 8;

/** How many rows below a leaving row (above: negative) the one stands that takes it in. */
export function rowsToward(model: Model, id: string): number {
  const into = model.effects.leaving.get(id)?.into;
  const target = into === undefined ? -1 : model.shown.indexOf(into);
  if (target < 0) return 0;
  const distance = target - model.shown.indexOf(id);
  return Math.min(Math.max(distance, -FARTHEST), FARTHEST);
}

/** Whether a row shows that it is being absorbed. One that the reader is at stays as it is. */
export function isLeaving(model: Model, id: string): boolean {
  return model.effects.leaving.has(id) && id !== model.pointed && id !== model.focused;
}
