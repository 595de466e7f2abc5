import { Value } from "./value";
import { UNKNOWN_PLACE, type FilterName } from "../core/filters";
import { count, dateTime, timeIn, type Zone } from "../core/format";
import { t } from "../core/language";
import { flagMeaning } from "../core/timeline";
import type { SessionUpdate } from "../contracts.gen";

interface Props {
  readonly session: SessionUpdate;
  readonly now: number;
  readonly zone: Zone;
}

/** Its name, its text, and the filter that its text is a value of. */
type Fact = readonly [name: string, value: string | null | undefined, filter?: FilterName];

/** Everything else that is known about the session, in four groups. */
export function Facts({ session, now, zone }: Props) {
  const texts = t().session;
  return (
    <div class="facts">
      <Group name={texts.cameFrom} facts={origin(session)} />
      <Group name={texts.place} facts={place(session, now)} />
      <Group name={texts.device} facts={device(session)} />
      <Group name={texts.identity} facts={identity(session, zone)} />
      {session.flags.length > 0 && (
        <section>
          <h3>{texts.flags}</h3>
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
          .map(([fact, value, filter]) => (
            <div key={fact}>
              <dt>{fact}</dt>
              <dd>{filter ? <Value name={filter} value={value!} /> : <bdi>{value}</bdi>}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function origin({ attribution, referrer, entry_page: entry, exit_page: exit }: SessionUpdate) {
  const texts = t().session;
  const facts: Fact[] = [
    [texts.channel, attribution.channel, "channel"],
    [texts.referrer, attribution.domain, "referrer_domain"],
    [texts.referringPage, referrer],
    [texts.entryPage, entry, "entry"],
    [texts.lastPage, exit, "exit"],
    [texts.source, attribution.utm_source],
    [texts.medium, attribution.utm_medium],
    [texts.campaign, attribution.utm_campaign, "utm_campaign"],
    [texts.term, attribution.utm_term],
    [texts.content, attribution.utm_content],
  ];
  return facts;
}

function place({ geo }: SessionUpdate, now: number): Fact[] {
  const texts = t().session;
  if (!geo) return [[texts.country, texts.noPlace]];
  const zone = geo.time_zone;
  const local = zone && timeIn(zone, now);
  return [
    [texts.country, geo.country ?? UNKNOWN_PLACE, "country"],
    [texts.region, geo.region, "region"],
    [texts.city, geo.city, "city"],
    [texts.timeZone, local ? texts.there(zone!, local) : zone],
  ];
}

function device({ agent }: SessionUpdate): Fact[] {
  const texts = t().session;
  return [
    [texts.browser, agent.browser, "browser"],
    [texts.version, agent.browser_version],
    [texts.system, agent.os, "os"],
    [texts.device, agent.device, "device"],
    [texts.bot, agent.is_bot ? (agent.bot ?? texts.yes) : null],
  ];
}

function identity(session: SessionUpdate, zone: Zone): Fact[] {
  const texts = t().session;
  return [
    [texts.site, session.site_id, "site"],
    [texts.visitor, session.visitor_id],
    [texts.id, session.session_id],
    [texts.first, dateTime(session.start, zone)],
    [texts.last, dateTime(session.end, zone)],
    [texts.revision, texts.ofEpoch(count(session.revision), String(session.epoch))],
  ];
}
