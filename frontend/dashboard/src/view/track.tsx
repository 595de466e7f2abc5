import { plural, span } from "../core/format";
import { t } from "../core/language";
import { timeline, type Item } from "../core/timeline";
import type { EnrichedEvent, SessionUpdate } from "../contracts.gen";

const WIDTH = 480;
const HEIGHT = 28;
const EDGE = 6;

interface Props {
  readonly session: SessionUpdate;
  readonly events: readonly EnrichedEvent[];
}

/** The session's length as one line, with a mark for each event where it happened. */
export function Track({ session, events }: Props) {
  const length = Math.max(1, session.end - session.start);
  const place = (time: number) =>
    EDGE + Math.min(Math.max((time - session.start) / length, 0), 1) * (WIDTH - 2 * EDGE);
  const placeOf = (item: Item | undefined) =>
    place(item?.kind === "event" ? item.event.event_time : session.end);
  const { session: texts } = t();
  const label = texts.over(plural(session.events, ...texts.event), span(session.duration_ms));
  return (
    <svg class="track" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path class="track-line" d={`M${EDGE} ${HEIGHT / 2}H${WIDTH - EDGE}`} />
      {timeline(events).map(
        (item, index, items) =>
          item.kind === "idle" && (
            <path
              key={item.after}
              class="track-idle"
              d={`M${placeOf(items[index - 1])} ${HEIGHT / 2}H${placeOf(items[index + 1])}`}
            />
          ),
      )}
      {events.map((event) => (
        <circle
          key={event.event_id}
          class={`track-mark mark-${event.kind} ${event.status >= 400 ? "mark-error" : ""}`}
          cx={place(event.event_time)}
          cy={HEIGHT / 2}
          r={event.kind === "page" ? 5 : 3.5}
        />
      ))}
    </svg>
  );
}
