// Generated from contracts/schema by `npm run contracts`. Do not edit.

export type Contract = ServerMessage | ClientMessage | EnrichedEvent | Ledger;
export type ServerMessage = Snapshot | Recovered | Update | Heartbeat | Pong | Goodbye;
export type ClientMessage = Hello | Subscribe | Ping;

/**
 * The newest sessions (newest first), the last hour's minutes and the newest events.
 *
 *     It replaces all that the client knew. It is the first message of a connection unless that one
 *     could go on where it was; it also comes after a new subscription, and instead of an update
 *     when the client was so slow that more waited for it than one message holds. ``recovered`` is
 *     always false. ``counts`` is null without the topic ``stats``.
 */
export interface Snapshot {
  counts: LiveCounts | null;
  events: EnrichedEvent[];
  position: string | null;
  recovered: boolean;
  sequence: number;
  server_time: number;
  sessions: SessionUpdate[];
  type: "snapshot";
}
/**
 * Who is here now: open sessions of the live topics, by people and by bots.
 *
 *     ``minutes``: in a snapshot all of the last hour, in an update only those whose counts changed.
 *     Under a filter they are of the requests that match it, and those are left out of which the
 *     hub does not know all, as there were too many.
 */
export interface LiveCounts {
  minutes: MinuteCount[];
  open_bots: number;
  open_sessions: number;
}
/**
 * Events whose event_time lies in the minute that begins at ``minute``.
 */
export interface MinuteCount {
  api_calls: number;
  minute: number;
  pages: number;
}
/**
 * A request event that is valid, new and not late, with what the job found out about it.
 *
 *     Times are ms since 1970 UTC. ``network`` is the address cut to /24 (IPv4) or /48 (IPv6).
 *     ``geo`` is null when ``geo_reason`` says why. ``flags`` may hold ``clock_clamped``.
 *     ``topic``, ``partition`` and ``offset`` say where the request event stands. What is absent
 *     from the request event is absent here, too.
 */
export interface EnrichedEvent {
  agent: Agent;
  attribution: Attribution;
  broker_time: number;
  dnt: boolean;
  duration_ms: number;
  engaged_ms?: number;
  event_id: string;
  event_time: number;
  flags: string[];
  geo: Geo | null;
  geo_reason: string | null;
  gpc: boolean;
  headers: {
    [k: string]: string;
  };
  host: string;
  kind: "api" | "custom" | "engagement" | "page";
  method: string;
  name?: string;
  network: string | null;
  offset: number;
  origin?: "beacon";
  partition: number;
  path: string;
  processed_time: number;
  properties?: {
    [k: string]: string | boolean | number;
  };
  query: {
    [k: string]: string;
  };
  referrer: string | null;
  schema_version: number;
  sequence: number;
  site_id: string;
  status: number;
  topic: string;
  user_agent: string;
  visitor_id: string;
}
/**
 * What a User-Agent header says of itself. ``device`` is desktop, mobile, tablet, bot, …
 */
export interface Agent {
  bot: string | null;
  browser: string;
  browser_version: string | null;
  device: string;
  is_bot: boolean;
  os: string;
}
/**
 * Where a visit came from: the referring domain, its channel, and UTM parameters.
 */
export interface Attribution {
  channel: string;
  domain: string | null;
  utm_campaign: string | null;
  utm_content: string | null;
  utm_medium: string | null;
  utm_source: string | null;
  utm_term: string | null;
}
/**
 * Where an address is, as far as the MMDB says. ``country`` is ISO 3166-1 alpha-2.
 */
export interface Geo {
  city: string | null;
  country: string | null;
  latitude: number | null;
  longitude: number | null;
  region: string | null;
  time_zone: string | null;
}
/**
 * The latest state of one session. Consumers keep the highest (epoch, revision).
 *
 *     ``session_id`` is a function of site, visitor and first event. ``start`` and ``end`` are the
 *     first and last event_time, ``last_seen`` the latest moment at which one of the session's
 *     responses ended, ``expires`` the event_time after which silence closes it; all ms since 1970
 *     UTC. ``other_visitor_ids``: further ids that the visitor had during the session, after
 *     ``visitor_id``, its first. ``duration_ms`` is end minus start. Place, device, referrer and
 *     attribution are those of the first event. ``merged_into`` is set when ``status`` is
 *     ``merged``: that session took this one in. ``flags`` may hold ``clock_clamped``,
 *     ``cut_length``, ``cut_count``, ``thinned``, and ``from_file`` when a backfill took the session
 *     from a file, not from Kafka. ``broker_time`` is when Kafka appended the newest event in it.
 *     ``events`` counts all kinds: page views, API calls, custom events and reports of reading time;
 *     ``engaged_ms`` is the sum of the latter. Jobs of before tell neither ``custom_events`` nor
 *     ``engaged_ms``.
 */
export interface SessionUpdate {
  agent: Agent;
  api_calls: number;
  attribution: Attribution;
  broker_time: number;
  custom_events: number;
  duration_ms: number;
  end: number;
  engaged_ms: number;
  entry_page: string;
  epoch: number;
  errors: number;
  events: number;
  exit_page: string;
  expires: number;
  flags: string[];
  geo: Geo | null;
  last_seen: number;
  merged_into: string | null;
  other_visitor_ids: string[];
  pages: number;
  processed_time: number;
  referrer: string | null;
  revision: number;
  schema_version: number;
  session_id: string;
  site_id: string;
  start: number;
  status: "closed" | "final" | "merged" | "open";
  visitor_id: string;
}
/**
 * The first message of a connection that goes on where it was: exactly what it missed.
 *
 *     Each session that changed, once, in its latest state; each event; the counts as in a snapshot.
 *     ``recovered`` is always true.
 */
export interface Recovered {
  counts: LiveCounts | null;
  events: EnrichedEvent[];
  position: string | null;
  recovered: boolean;
  sequence: number;
  server_time: number;
  sessions: SessionUpdate[];
  type: "recovered";
}
/**
 * What changed since the last message: each session and each minute once, in its latest state.
 *
 *     ``newest_response`` is when the newest response behind this message ended, or null; the
 *     client's measured delay is its own clock (corrected by ping) minus this. ``events`` has every
 *     new event, oldest first; when there were too many for a message, ``events_left_out`` says how
 *     many older ones are missing. A session that has stopped to match the filter is told once more.
 */
export interface Update {
  counts: LiveCounts | null;
  events: EnrichedEvent[];
  events_left_out: number;
  newest_response: number | null;
  position: string | null;
  sequence: number;
  server_time: number;
  sessions: SessionUpdate[];
  type: "update";
}
/**
 * Sent when nothing else was for a while, so silence means a broken connection.
 *
 *     ``pipeline_age_ms`` is how long ago the job last wrote anything (its own watermark records
 *     make it write even without visitors), or null before the first.
 */
export interface Heartbeat {
  pipeline_age_ms: number | null;
  position: string | null;
  sequence: number;
  server_time: number;
  type: "heartbeat";
}
/**
 * The answer to a ping, for the client to estimate its clock's offset. No sequence.
 */
export interface Pong {
  sent: number;
  server_time: number;
  type: "pong";
}
/**
 * The last message before the server ends: come back after ``retry_ms``. No sequence.
 *
 *     The wait differs by client, so that they do not all come back in one moment.
 */
export interface Goodbye {
  retry_ms: number;
  type: "goodbye";
}
/**
 * Client to server, the first message: who it is, what it wants, and where it was.
 *
 *     ``key`` is an API key, ``ticket`` one of ``POST /api/v1/live/tickets`` instead of it.
 *     ``subscription`` is the default one when it is null. ``resume`` is the last ``position`` that
 *     the client got under this very subscription.
 */
export interface Hello {
  key: string | null;
  resume: string | null;
  subscription: Subscription | null;
  ticket: string | null;
  type: "hello";
}
/**
 * Which messages a client wants. Values of one field are alternatives; fields restrict.
 *
 *     ``topics``: ``sessions`` as they change, ``stats`` (who is here, events by minute), ``events``
 *     one by one. ``country`` is ISO 3166-1, or ``unknown``. ``path`` is how a session's entry page,
 *     or an event's path, begins. ``session`` and ``visitor`` are ids; events know only the visitor.
 *     A value that begins with ``!`` excludes, but of ``session`` and ``visitor``; what begins so
 *     itself has each of its first ``!`` written twice.
 */
export interface Subscription {
  bots: "exclude" | "include" | "only";
  /**
   * @maxItems 50
   */
  browser: string[];
  /**
   * @maxItems 50
   */
  channel: string[];
  /**
   * @maxItems 50
   */
  country: string[];
  /**
   * @maxItems 50
   */
  device: string[];
  /**
   * @maxItems 50
   */
  os: string[];
  path: string;
  session: string;
  /**
   * @maxItems 50
   */
  site: string[];
  /**
   * @minItems 1
   * @maxItems 3
   */
  topics:
    | ["events" | "sessions" | "stats"]
    | ["events" | "sessions" | "stats", "events" | "sessions" | "stats"]
    | ["events" | "sessions" | "stats", "events" | "sessions" | "stats", "events" | "sessions" | "stats"];
  visitor: string;
}
/**
 * Client to server, any time later: want something else. A snapshot of it follows.
 */
export interface Subscribe {
  subscription: Subscription;
  type: "subscribe";
}
/**
 * Client to server: ``sent`` is the client's clock.
 */
export interface Ping {
  sent: number;
  type: "ping";
}
/**
 * Whether every request is accounted for.
 *
 *     ``balances`` holds when requests = events + duplicates + late + dead_letters + cut + erased in
 *     every bucket; ``detail`` says it in a sentence. ``behind`` are the records that the job had
 *     still to read when it last spoke, at ``job_seen``; null when no job has spoken. Of the late
 *     events, ``late_listed`` are kept as such, and ``late_placed`` of those are by now events of
 *     the history as well, because a backfill put them where they belong.
 */
export interface Ledger {
  balances: boolean;
  behind: number | null;
  buckets: LedgerBucket[];
  detail: string;
  interceptors: LedgerInterceptors;
  job_seen: number | null;
  late_listed: number;
  late_placed: number;
  topics: LedgerTopic[];
  total: Tally;
}
/**
 * One bucket's columns, as it last published them at ``processed_time``.
 */
export interface LedgerBucket {
  balances: boolean;
  bucket: number;
  epoch: number;
  partition: number;
  processed_time: number;
  tally: Tally;
  topic: string;
  visitors: number;
  watermark: number;
}
/**
 * The ledger's columns: requests are the sum of all others.
 *
 *     ``erased`` are events of erased visitors that came after the erasure, and were dropped.
 */
export interface Tally {
  cut: number;
  dead_letters: number;
  duplicates: number;
  erased: number;
  events: number;
  late: number;
  requests: number;
}
/**
 * What the sites' own processes counted.
 *
 *     ``sent``, ``queued``, ``observed``, ``dropped``, ``lost``, ``spooled`` and ``adopted`` are sums
 *     over all ``processes``: observed + adopted = dropped + sent + queued + spooled + lost, but for
 *     requests in progress, and spooled minus adopted lies on disks. ``newest`` lists the 50 that
 *     began last. ``requests`` is what the job has read of the topic that interceptors write to,
 *     ``unexplained`` is that minus ``sent``, and ``detail`` says why the two may differ.
 */
export interface LedgerInterceptors {
  adopted: number;
  detail: string;
  dropped: {
    [k: string]: number;
  };
  lost: {
    [k: string]: number;
  };
  newest: InterceptorStats[];
  observed: number;
  processes: number;
  queued: number;
  requests: number;
  sent: number;
  spool_errors: number;
  spooled: number;
  unexplained: number;
}
/**
 * One interceptor process's counts since it started.
 *
 *     observed + adopted = dropped + sent + queued + spooled + lost, but for requests in progress.
 *     ``sent`` was acknowledged by Kafka; ``dropped`` was chosen not to be logged, by reason;
 *     ``lost`` was meant to be logged and could not be, by reason; ``queued`` waits in memory.
 *     ``spooled`` waits on the disk or, when the process has ended, was left there to an heir.
 *     ``adopted`` was taken over from the disks of processes that had ended, so the sum of
 *     ``spooled`` minus that of ``adopted`` lies on disks. ``spool_errors`` counts what the disk
 *     refused to do. ``instance`` names the process, and ``revision`` grows with all it says.
 *     ``told`` is when it said this, by its own clock; 0 of versions that did not say.
 */
export interface InterceptorStats {
  adopted: number;
  dropped: {
    [k: string]: number;
  };
  instance: string;
  lost: {
    [k: string]: number;
  };
  observed: number;
  queued: number;
  revision: number;
  schema_version: number;
  sent: number;
  site_id: string;
  spool_errors: number;
  spooled: number;
  started: number;
  told: number;
}
/**
 * The sum of a request topic's buckets that the newest epoch has published.
 */
export interface LedgerTopic {
  balances: boolean;
  buckets: number;
  epoch: number;
  tally: Tally;
  topic: string;
}
