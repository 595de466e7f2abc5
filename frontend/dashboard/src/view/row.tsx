import { Flag } from "./flag";
import { deviceIcon, Icon } from "./icons";
import { memo } from "./memo";
import { Value } from "./value";
import { ago, count, hourMinute, stopwatch, title, type Zone } from "../core/format";
import { UNKNOWN_PLACE } from "../core/filters";
import { t } from "../core/language";
import { isHere } from "../core/presence";
import { sessionLink } from "../shell/address";
import type { SessionUpdate } from "../contracts.gen";

/** Longer than this without a request, and the clock shows the visit so far, not the silence. */
const ACTIVE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Props {
  readonly session: SessionUpdate;
  /** Its place in the list, from 0. */
  readonly index: number;
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
  const { session, index, isLeaving, isLit, isOpened } = props;
  const state = [isLeaving && "is-leaving", isLit && "is-lit", isOpened && "is-opened"];
  return (
    <tr
      role="row"
      aria-rowindex={index + 2}
      class={["row", props.isHere && "is-here", ...state].filter(Boolean).join(" ")}
      style={{ "--index": index, "--toward": isLeaving ? props.toward : 0 }}
      data-session={session.session_id}
    >
      <PlaceCell session={session} />
      <PageCell session={session} isLit={isLit} />
      <SourceCell session={session} />
      <DeviceCell session={session} />
      <td role="cell" class="cell cell-counts">
        <Counts session={session} />
      </td>
      <td role="cell" class="cell cell-time">
        <b>{props.lasted}</b>
        <small title={t().live.sinceLast}>{props.seen}</small>
      </td>
      <td role="cell" class="cell cell-status">
        <Value name="status" value={session.status} isQuiet>
          <Status status={session.status} isHere={props.isHere} />
        </Value>
      </td>
    </tr>
  );
});

interface CellProps {
  readonly session: SessionUpdate;
}

function PlaceCell({ session }: CellProps) {
  const { country = null, city = null, region = null } = session.geo ?? {};
  const name = <Value name="country" value={country ?? UNKNOWN_PLACE} isQuiet />;
  return (
    <td role="cell" class="cell cell-place">
      {/* A new revision makes a new dot, whose glow fades once. */}
      <i key={session.revision} class="pulse" />
      <Flag country={country} />
      <span class="lines">
        <b>{city ? <Value name="city" value={city} isQuiet /> : name}</b>
        <small>{city ? name : (region ?? "–")}</small>
      </span>
    </td>
  );
}

interface PageProps extends CellProps {
  readonly isLit: boolean;
}

function PageCell({ session, isLit }: PageProps) {
  const { entry_page: entry, exit_page: current, session_id: id } = session;
  const { live } = t();
  return (
    <td role="cell" class="cell cell-page">
      <span class="lines">
        <a class="row-link" href={sessionLink(id)} data-row={id} title={current || entry}>
          <bdi>{current || entry || live.apiOnly}</bdi>
        </a>
        <small title={entry}>
          {isLit ? (
            <em>{live.tookIn}</em>
          ) : (
            <bdi>{entry === current ? live.entryPage : live.from(entry)}</bdi>
          )}
        </small>
      </span>
    </td>
  );
}

function SourceCell({ session }: CellProps) {
  const { channel, domain, utm_campaign: campaign } = session.attribution;
  const name = <Value name="channel" value={channel} isQuiet />;
  return (
    <td role="cell" class="cell cell-source">
      <span class="lines">
        <b>
          {domain ? (
            <Value name="referrer_domain" value={domain} isQuiet />
          ) : campaign ? (
            <Value name="utm_campaign" value={campaign} isQuiet />
          ) : (
            name
          )}
        </b>
        <small>{domain || campaign ? name : "–"}</small>
      </span>
    </td>
  );
}

function DeviceCell({ session }: CellProps) {
  const { agent } = session;
  return (
    <td role="cell" class="cell cell-device">
      <Icon name={agent.is_bot ? "bot" : deviceIcon(agent.device)} />
      <span class="lines">
        <b>
          {agent.is_bot ? (
            <bdi>{agent.bot ?? title("bot")}</bdi>
          ) : (
            <Value name="browser" value={agent.browser} isQuiet />
          )}
        </b>
        <small>
          {agent.is_bot ? (
            <Value name="bots" value="only" isQuiet>
              <mark class="bot">{title("bot")}</mark>
            </Value>
          ) : (
            <Value name="os" value={agent.os} isQuiet />
          )}
        </small>
      </span>
    </td>
  );
}

function Counts({ session }: CellProps) {
  const { pages, api_calls: calls, errors } = session;
  const { live } = t();
  return (
    <>
      <span class="count" title={live.pagesTitle}>
        <i class="key key-pages" />
        {count(pages)}
        <span class="visually-hidden"> {live.pagesWord}</span>
      </span>
      <span class="count" title={live.callsTitle}>
        <i class="key key-api" />
        {count(calls)}
        <span class="visually-hidden"> {live.callsWord}</span>
      </span>
      {errors > 0 && (
        <span class="count errors" title={live.errorsTitle}>
          {live.errorsShort(count(errors))}
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
