import { useState } from "preact/hooks";
import { RawButton, RawEvent } from "./raw_event";
import { whatCutIt, whenTheyCame, whyItBegins, type TooLate } from "../core/biography";
import { clockTime, dateTime, milliseconds, span, stopwatch, type Zone } from "../core/format";
import type { Detail } from "../core/model";
import { t } from "../core/language";
import {
  idleShare,
  lateness,
  propertiesText,
  timeline,
  whyItBegan,
  whyItEnded,
  withLate,
  type Item,
} from "../core/timeline";
import { sessionLink } from "../shell/address";
import type { EnrichedEvent, SessionUpdate } from "../contracts.gen";

const SHORTEST_IDLE_PX = 34;
const LONGEST_IDLE_PX = 110;

interface Props {
  readonly session: SessionUpdate;
  readonly detail: Detail;
  readonly zone: Zone;
}

/** What happened, in order, between the reason it began and the reason it ended. */
export function Story({ session, detail, zone }: Props) {
  const at = (ms: number) => clockTime(ms, zone);
  const { why } = detail;
  const texts = t().session;
  const items = withLate(timeline(detail.events), why?.late ?? []);
  return (
    <section class="story" aria-labelledby="story-title">
      <h3 id="story-title">{texts.timeline}</h3>
      <ol data-testid="timeline">
        <li class="boundary">{why ? whyItBegins(why) : whyItBegan(session)}</li>
        {items.map((item) => (
          <ItemLine key={keyOf(item)} item={item} items={items} zone={zone} />
        ))}
        {detail.state === "loading" && <li class="boundary">{texts.loadingEvents}</li>}
        {detail.state === "failed" && <li class="boundary">{texts.noEvents}</li>}
        {detail.truncated && <li class="boundary">{texts.truncated}</li>}
        <li class="boundary">
          {why && whatCutIt(why)} {whyItEnded(session, at)} {why && whenTheyCame(why)}{" "}
          {session.merged_into && <Successor id={session.merged_into} />}
        </li>
      </ol>
    </section>
  );
}

function Successor({ id }: { readonly id: string }) {
  return <a href={sessionLink(id)}>{t().session.successor}</a>;
}

interface ItemProps {
  readonly item: Item;
  readonly items: readonly Item[];
  readonly zone: Zone;
}

/** Pauses are as high as they are long, the longest ones as high as a few events. */
function ItemLine({ item, items, zone }: ItemProps) {
  if (item.kind === "late") return <LateLine late={item.late} zone={zone} />;
  if (item.kind === "idle") {
    const height = `${SHORTEST_IDLE_PX + Math.round(idleShare(item.ms, items) * LONGEST_IDLE_PX)}px`;
    return (
      <li class="idle" style={{ minHeight: height }}>
        {t().session.idle(span(item.ms))}
      </li>
    );
  }
  return <EventLine event={item.event} sinceStart={item.sinceStart} zone={zone} />;
}

/** It is no part of the session, and stands where it would have been. */
function LateLine({ late, zone }: { readonly late: TooLate; readonly zone: Zone }) {
  return (
    <li class="event event-late">
      <time title={dateTime(late.event_time, zone)}>{clockTime(late.event_time, zone)}</time>
      <span class="event-what">
        <span class="event-path">{late.path}</span>
        <small>{t().session.tooLate(span(late.late_ms))}</small>
      </span>
    </li>
  );
}

interface EventProps {
  readonly event: EnrichedEvent;
  readonly sinceStart: number;
  readonly zone: Zone;
}

function EventLine({ event, sinceStart, zone }: EventProps) {
  const late = lateness(event);
  const [isRaw, showRaw] = useState(false);
  return (
    <li class={`event event-${event.kind}`}>
      <time title={dateTime(event.event_time, zone)}>
        {clockTime(event.event_time, zone)} <small>+{stopwatch(sinceStart)}</small>
      </time>
      <span class="event-what">
        <What event={event} />
        {late !== null && <small class="came-late">{t().session.cameLate(span(late))}</small>}
        {event.flags.length > 0 && <small>{event.flags.join(", ")}</small>}
      </span>
      <span class="event-result">
        <Result event={event} />
        <RawButton event={event} isOpen={isRaw} onPress={() => showRaw(!isRaw)} />
      </span>
      {isRaw && <RawEvent event={event} />}
    </li>
  );
}

function What({ event }: { readonly event: EnrichedEvent }) {
  if (event.kind === "custom") {
    return (
      <>
        <span class="event-path">
          {event.name} <span class="event-query">{propertiesText(event)}</span>
        </span>
        <small>{event.path}</small>
      </>
    );
  }
  return (
    <span class="event-path">
      {event.kind === "api" || event.method !== "GET" ? <b class="method">{event.method}</b> : null}
      {event.kind === "engagement" && <span class="event-query">{t().session.read} </span>}
      {event.path}
      <span class="event-query">{queryText(event.query)}</span>
    </span>
  );
}

/** How the site answered; of what the page's script reported, what there is instead. */
function Result({ event }: { readonly event: EnrichedEvent }) {
  if (event.engaged_ms !== undefined) return <small>{span(event.engaged_ms)}</small>;
  if (event.origin === "beacon") return <small>{t().session.inPage}</small>;
  return (
    <>
      <span class={`code code-${Math.floor(event.status / 100)}`}>{event.status}</span>
      <small>{milliseconds(event.duration_ms)}</small>
    </>
  );
}

function queryText(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return pairs.length ? `?${pairs.join("&")}` : "";
}

function keyOf(item: Item): string {
  if (item.kind === "late") return `late ${item.late.event_id}`;
  return item.kind === "idle" ? `after ${item.after}` : item.event.event_id;
}
