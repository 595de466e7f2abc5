// Builders for tests: a plain session and its events, changed where a test says so.
import type { EnrichedEvent, SessionUpdate, Update } from "../contracts.gen";

export const NOON = Date.UTC(2026, 2, 1, 12, 0, 0);
export const MINUTE = 60_000;

export function session(part: Partial<SessionUpdate> = {}): SessionUpdate {
  const start = part.start ?? NOON;
  const end = part.end ?? start;
  return {
    schema_version: 1,
    session_id: "s1",
    site_id: "shop",
    visitor_id: "v1",
    other_visitor_ids: [],
    epoch: 1,
    revision: 1,
    status: "open",
    merged_into: null,
    start,
    end,
    last_seen: end,
    expires: end + 30 * MINUTE,
    duration_ms: end - start,
    events: 1,
    pages: 1,
    api_calls: 0,
    custom_events: 0,
    engaged_ms: 0,
    errors: 0,
    entry_page: "/",
    exit_page: "/",
    referrer: null,
    geo: place("DE", 52.5, 13.4),
    agent: {
      browser: "Firefox",
      browser_version: "140",
      os: "Linux",
      device: "desktop",
      is_bot: false,
      bot: null,
    },
    attribution: {
      domain: null,
      channel: "direct",
      utm_source: null,
      utm_medium: null,
      utm_campaign: null,
      utm_term: null,
      utm_content: null,
    },
    flags: [],
    broker_time: end,
    processed_time: end,
    ...part,
  };
}

export function bot(part: Partial<SessionUpdate> = {}): SessionUpdate {
  const plain = session(part);
  return { ...plain, agent: { ...plain.agent, is_bot: true, bot: "Googlebot" } };
}

export function place(country: string | null, latitude: number, longitude: number) {
  return { country, region: null, city: null, latitude, longitude, time_zone: null };
}

export function event(id: string, time: number, part: Partial<EnrichedEvent> = {}): EnrichedEvent {
  const { geo, agent, attribution } = session();
  return {
    schema_version: 1,
    event_id: id,
    site_id: "shop",
    visitor_id: "v1",
    event_time: time,
    sequence: 0,
    broker_time: time,
    processed_time: time,
    kind: "page",
    method: "GET",
    status: 200,
    duration_ms: 5,
    host: "shop.example",
    path: "/",
    query: {},
    referrer: null,
    user_agent: "",
    network: null,
    geo,
    geo_reason: null,
    agent,
    attribution,
    headers: {},
    dnt: false,
    gpc: false,
    flags: [],
    topic: "clickwake.requests",
    partition: 0,
    offset: 0,
    ...part,
  };
}

export function update(
  sequence: number,
  sessions: SessionUpdate[],
  part: Partial<Update> = {},
): Update {
  return {
    type: "update",
    sequence,
    position: null,
    server_time: NOON,
    sessions,
    counts: { open_sessions: sessions.length, open_bots: 0, minutes: [] },
    newest_response: null,
    events: [],
    events_left_out: 0,
    ...part,
  };
}
