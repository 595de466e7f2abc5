import { useRef, useState } from "preact/hooks";
import { Flag } from "./flag";
import { memo } from "./memo";
import { clockTime, count, countryName, span, type Zone } from "../core/format";
import { t } from "../core/language";
import type { EnrichedEvent } from "../contracts.gen";

const ROWS = 12;

interface Props {
  readonly events: readonly EnrichedEvent[];
  readonly leftOut: number;
  readonly zone: Zone;
}

/** The newest events. They stand still while the pointer or the focus is on them. */
export function FeedPanel({ events, leftOut, zone }: Props) {
  const [isHeld, hold] = useState(false);
  const held = useRef(events);
  if (!isHeld) held.current = events;
  const shown = held.current.slice(0, ROWS);
  const { live } = t();
  return (
    <section
      class="panel feed"
      aria-labelledby="feed-title"
      data-testid="feed"
      onPointerEnter={(event) => event.pointerType === "mouse" && hold(true)}
      onPointerLeave={() => hold(false)}
    >
      <div class="panel-head">
        <h2 id="feed-title" class="panel-title">
          {live.feed}
        </h2>
        <span class="quiet">
          {isHeld ? live.feedHeld : leftOut > 0 && live.leftOut(count(leftOut))}
        </span>
      </div>
      {shown.length === 0 ? (
        <p class="quiet">{live.feedEmpty}</p>
      ) : (
        <Table events={shown} zone={zone} />
      )}
    </section>
  );
}

function Table({ events, zone }: { events: readonly EnrichedEvent[]; zone: Zone }) {
  const { live } = t();
  return (
    <table class="feed-table">
      <caption class="visually-hidden">{live.feedCaption}</caption>
      <thead class="visually-hidden">
        <tr>
          {[live.time, live.where, live.what, live.result].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <FeedRow key={event.event_id} event={event} zone={zone} />
        ))}
      </tbody>
    </table>
  );
}

const FeedRow = memo(function FeedRow({ event, zone }: { event: EnrichedEvent; zone: Zone }) {
  const country = event.geo?.country ?? null;
  return (
    <tr class={`feed-row feed-${event.kind}`}>
      <td class="feed-time">{clockTime(event.event_time, zone)}</td>
      <td>
        <Flag country={country} />
        <span class="visually-hidden">{countryName(country)}</span>
      </td>
      <td class="feed-what">
        <bdi>{what(event)}</bdi>
      </td>
      <td class="number">{result(event)}</td>
    </tr>
  );
});

function what(event: EnrichedEvent): string {
  if (event.kind === "custom") return `${event.name} · ${event.path}`;
  if (event.kind === "engagement") return `${t().live.read} ${event.path}`;
  return event.kind === "api" || event.method !== "GET"
    ? `${event.method} ${event.path}`
    : event.path;
}

function result(event: EnrichedEvent): string {
  if (event.engaged_ms !== undefined) return span(event.engaged_ms);
  return event.origin === "beacon" ? "" : String(event.status);
}
