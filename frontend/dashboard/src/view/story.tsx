import { clockTime, dateTime, milliseconds, span, stopwatch, type Zone } from "../core/format";
import type { Detail } from "../core/model";
import { t } from "../core/language";
import { propertiesText, timeline, whyItBegan, whyItEnded, type Item } from "../core/timeline";
import { sessionLink } from "../shell/address";
import type { EnrichedEvent, SessionUpdate } from "../contracts.gen";

interface Props {
  readonly session: SessionUpdate;
  readonly detail: Detail;
  readonly zone: Zone;
}

/** What happened, in order, between the reason it began and the reason it ended. */
export function Story({ session, detail, zone }: Props) {
  const at = (ms: number) => clockTime(ms, zone);
  const texts = t().session;
  return (
    <section class="story" aria-labelledby="story-title">
      <h3 id="story-title">{texts.timeline}</h3>
      <ol data-testid="timeline">
        <li class="boundary">{whyItBegan(session)}</li>
        {timeline(detail.events).map((item) => (
          <ItemLine key={keyOf(item)} item={item} zone={zone} />
        ))}
        {detail.state === "loading" && <li class="boundary">{texts.loadingEvents}</li>}
        {detail.state === "failed" && <li class="boundary">{texts.noEvents}</li>}
        {detail.truncated && <li class="boundary">{texts.truncated}</li>}
        <li class="boundary">
          {whyItEnded(session, at)} {session.merged_into && <Successor id={session.merged_into} />}
        </li>
      </ol>
    </section>
  );
}

function Successor({ id }: { readonly id: string }) {
  return <a href={sessionLink(id)}>{t().session.successor}</a>;
}

function ItemLine({ item, zone }: { readonly item: Item; readonly zone: Zone }) {
  if (item.kind === "idle") return <li class="idle">{t().session.idle(span(item.ms))}</li>;
  return <EventLine event={item.event} sinceStart={item.sinceStart} zone={zone} />;
}

interface EventProps {
  readonly event: EnrichedEvent;
  readonly sinceStart: number;
  readonly zone: Zone;
}

function EventLine({ event, sinceStart, zone }: EventProps) {
  return (
    <li class={`event event-${event.kind}`}>
      <time title={dateTime(event.event_time, zone)}>
        {clockTime(event.event_time, zone)} <small>+{stopwatch(sinceStart)}</small>
      </time>
      <span class="event-what">
        <What event={event} />
        {event.flags.length > 0 && <small>{event.flags.join(", ")}</small>}
      </span>
      <span class="event-result">
        <Result event={event} />
      </span>
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
  return item.kind === "idle" ? `after ${item.after}` : item.event.event_id;
}
