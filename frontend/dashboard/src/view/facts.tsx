import { countryName, dateTime, named, timeIn, title, type Zone } from "../core/format";
import { flagMeaning } from "../core/timeline";
import type { SessionUpdate } from "../contracts.gen";

interface Props {
  readonly session: SessionUpdate;
  readonly now: number;
  readonly zone: Zone;
}

type Fact = readonly [name: string, value: string | null | undefined];

/** Everything else that is known about the session, in four groups. */
export function Facts({ session, now, zone }: Props) {
  return (
    <div class="facts">
      <Group name="Came from" facts={origin(session)} />
      <Group name="Place" facts={place(session, now)} />
      <Group name="Device" facts={device(session)} />
      <Group name="Identity" facts={identity(session, zone)} />
      {session.flags.length > 0 && (
        <section>
          <h3>Flags</h3>
          {session.flags.map((flag) => (
            <p key={flag} class="flag-note">
              <code>{flag}</code> {flagMeaning(flag)}
            </p>
          ))}
        </section>
      )}
    </div>
  );
}

function Group({ name, facts }: { readonly name: string; readonly facts: readonly Fact[] }) {
  return (
    <section>
      <h3>{name}</h3>
      <dl>
        {facts
          .filter(([, value]) => value)
          .map(([fact, value]) => (
            <div key={fact}>
              <dt>{fact}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function origin({ attribution, referrer, entry_page: entry }: SessionUpdate): Fact[] {
  return [
    ["Channel", title(attribution.channel)],
    ["Referrer", referrer ?? attribution.domain],
    ["Entry page", entry],
    ["Source", attribution.utm_source],
    ["Medium", attribution.utm_medium],
    ["Campaign", attribution.utm_campaign],
    ["Term", attribution.utm_term],
    ["Content", attribution.utm_content],
  ];
}

function place({ geo }: SessionUpdate, now: number): Fact[] {
  if (!geo) return [["Country", "Not known for this address"]];
  const local = geo.time_zone && timeIn(geo.time_zone, now);
  return [
    ["Country", countryName(geo.country)],
    ["Region", geo.region],
    ["City", geo.city],
    ["Time zone", geo.time_zone && (local ? `${geo.time_zone}, ${local} there` : geo.time_zone)],
  ];
}

function device({ agent }: SessionUpdate): Fact[] {
  return [
    ["Browser", [named(agent.browser), agent.browser_version].filter(Boolean).join(" ")],
    ["System", named(agent.os)],
    ["Device", title(agent.device)],
    ["Bot", agent.is_bot ? (agent.bot ?? "yes") : null],
  ];
}

function identity(session: SessionUpdate, zone: Zone): Fact[] {
  return [
    ["Site", session.site_id],
    ["Visitor", session.visitor_id],
    ["Session", session.session_id],
    ["First request", dateTime(session.start, zone)],
    ["Last request", dateTime(session.end, zone)],
    ["Revision", `${session.revision} of epoch ${session.epoch}`],
  ];
}
