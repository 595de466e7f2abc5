import { Flag } from "./flag";
import { deviceIcon, Icon } from "./icons";
import { memo } from "./memo";
import {
  ago,
  countryName,
  count,
  hourMinute,
  named,
  stopwatch,
  title,
  type Zone,
} from "../core/format";
import { isHere } from "../core/presence";
import { sessionLink } from "../shell/address";
import type { SessionUpdate } from "../contracts.gen";

/** Longer than this without a request, and the clock shows the visit so far, not the silence. */
const ACTIVE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Props {
  readonly session: SessionUpdate;
  /** Texts of the moment; the row is drawn again only when one of them changes. */
  readonly seen: string;
  readonly lasted: string;
  readonly isHere: boolean;
  readonly isLeaving: boolean;
  /** How many rows below (above: negative) the one stands that takes this one in. */
  readonly toward: number;
  readonly isLit: boolean;
  readonly isOpened: boolean;
}

export const Row = memo(function Row(props: Props) {
  const { session, isLeaving, isLit, isOpened } = props;
  const state = [isLeaving && "is-leaving", isLit && "is-lit", isOpened && "is-opened"];
  return (
    <div
      role="row"
      class={["row", props.isHere && "is-here", ...state].filter(Boolean).join(" ")}
      style={isLeaving ? { "--toward": props.toward } : {}}
      data-session={session.session_id}
    >
      <PlaceCell session={session} />
      <PageCell session={session} isLit={isLit} />
      <SourceCell session={session} />
      <DeviceCell session={session} />
      <div role="cell" class="cell cell-counts">
        <Counts session={session} />
      </div>
      <div role="cell" class="cell cell-time">
        <b>{props.lasted}</b>
        <small title="Since the last request">{props.seen}</small>
      </div>
      <div role="cell" class="cell cell-status">
        <Status status={session.status} isHere={props.isHere} />
      </div>
    </div>
  );
});

function PlaceCell({ session }: { readonly session: SessionUpdate }) {
  const country = session.geo?.country ?? null;
  const city = session.geo?.city;
  return (
    <div role="cell" class="cell cell-place">
      {/* A new revision makes a new dot, whose glow fades once. */}
      <i key={session.revision} class="pulse" />
      <Flag country={country} />
      <span class="lines">
        <b>{city ?? countryName(country)}</b>
        <small>{city ? countryName(country) : (session.geo?.region ?? "–")}</small>
      </span>
    </div>
  );
}

function from({ entry_page: entry, exit_page: current }: SessionUpdate): string {
  return entry === current ? "entry page" : `from ${entry}`;
}

interface PageProps {
  readonly session: SessionUpdate;
  readonly isLit: boolean;
}

function PageCell({ session, isLit }: PageProps) {
  const { entry_page: entry, exit_page: current, session_id: id } = session;
  return (
    <div role="cell" class="cell cell-page">
      <span class="lines">
        <a class="row-link" href={sessionLink(id)} data-row={id} title={current || entry}>
          {current || entry || "API only"}
        </a>
        <small title={entry}>{isLit ? <em>took in another session</em> : from(session)}</small>
      </span>
    </div>
  );
}

function SourceCell({ session }: { readonly session: SessionUpdate }) {
  const { attribution } = session;
  const channel = title(attribution.channel);
  return (
    <div role="cell" class="cell cell-source">
      <span class="lines">
        <b>{attribution.domain ?? attribution.utm_source ?? channel}</b>
        <small>{attribution.domain || attribution.utm_source ? channel : "–"}</small>
      </span>
    </div>
  );
}

function DeviceCell({ session }: { readonly session: SessionUpdate }) {
  const { agent } = session;
  return (
    <div role="cell" class="cell cell-device">
      <Icon name={agent.is_bot ? "bot" : deviceIcon(agent.device)} />
      <span class="lines">
        <b>{agent.is_bot ? (agent.bot ?? "Bot") : named(agent.browser)}</b>
        <small>{agent.is_bot ? <mark class="bot">bot</mark> : named(agent.os)}</small>
      </span>
    </div>
  );
}

function Counts({ session }: { readonly session: SessionUpdate }) {
  const { pages, api_calls: calls, errors } = session;
  return (
    <>
      <span class="count" title="Pages">
        <i class="key key-pages" />
        {count(pages)}
        <span class="visually-hidden"> pages</span>
      </span>
      <span class="count" title="API calls">
        <i class="key key-api" />
        {count(calls)}
        <span class="visually-hidden"> API calls</span>
      </span>
      {errors > 0 && (
        <span class="count errors" title="Responses with status 400 or above">
          {count(errors)} err
        </span>
      )}
    </>
  );
}

interface StatusProps {
  readonly status: SessionUpdate["status"];
  readonly isHere: boolean;
}

export function Status({ status, isHere }: StatusProps) {
  const kind = status === "open" && !isHere ? "past" : status;
  return <span class={`status status-${kind}`}>{title(status)}</span>;
}

/** The row's props at `now`, the server's clock. */
export function rowMoment(session: SessionUpdate, now: number, zone: Zone) {
  const here = isHere(session, now);
  const quiet = now - session.last_seen;
  const isActive = here && quiet < ACTIVE_MS;
  return {
    isHere: here,
    seen: quiet < DAY_MS ? ago(quiet) : `${ago(quiet)} · ${hourMinute(session.last_seen, zone)}`,
    lasted: stopwatch(isActive ? now - session.start : session.duration_ms),
  };
}
