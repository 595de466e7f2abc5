import type { ComponentChild } from "preact";
import type { Row } from "./use_sessions";
import { valueText } from "./values";
import { Flag } from "../../view/flag";
import { Icon, deviceIcon } from "../../view/icons";
import type { Column } from "../../core/columns";
import { count, countryName, dateTime, named, span, title, type Zone } from "../../core/format";

interface Props {
  readonly column: Column;
  readonly row: Row;
  readonly zone: Zone;
}

/** What a column shows of a session, or nothing while its fields are on their way. */
export function Cell({ column, row, zone }: Props) {
  return <>{CELLS[column](row, zone)}</>;
}

function number(value: number | undefined): string {
  return value === undefined ? "" : count(value);
}

function time(ms: number | undefined, zone: Zone): string {
  return ms === undefined ? "" : dateTime(ms, zone);
}

function length(ms: number | undefined): string {
  return ms === undefined ? "" : span(ms);
}

const CELLS: Readonly<Record<Column, (row: Row, zone: Zone) => ComponentChild>> = {
  start: ({ start }, zone) => time(start, zone),
  end: ({ end }, zone) => time(end, zone),
  place: ({ geo }) => <Place geo={geo} />,
  entry: ({ entry_page: page }) => page !== undefined && valueText("entry", page),
  exit: ({ exit_page: page }) => page !== undefined && valueText("exit", page),
  source: ({ attribution }) => attribution && (attribution.domain ?? title(attribution.channel)),
  device: ({ agent }) => agent?.browser !== undefined && <Device agent={agent} />,
  pages: ({ pages }) => number(pages),
  events: ({ events }) => number(events),
  calls: ({ api_calls: calls }) => number(calls),
  custom: ({ custom_events: custom }) => number(custom),
  errors: ({ errors }) => number(errors),
  duration: ({ duration_ms: ms }) => length(ms),
  reading: ({ engaged_ms: ms }) => length(ms),
  status: ({ status }) =>
    status && (
      <span class={`status status-${status === "open" ? "past" : status}`}>{title(status)}</span>
    ),
  campaign: ({ attribution }) =>
    [attribution?.utm_source, attribution?.utm_campaign].filter(Boolean).join(" · "),
  site: ({ site_id: site }) => site,
  visitor: ({ visitor_id: visitor }) => visitor && <code>{visitor}</code>,
  revision: ({ epoch, revision }) => revision !== undefined && `${epoch}.${revision}`,
};

function Place({ geo }: { readonly geo: Row["geo"] }) {
  if (geo === undefined) return null;
  const country = geo?.country ?? null;
  return (
    <span class="with-icon">
      <Flag country={country} />
      {[geo?.city, countryName(country)].filter(Boolean).join(", ")}
    </span>
  );
}

function Device({ agent }: { readonly agent: NonNullable<Row["agent"]> }) {
  return (
    <span class="with-icon">
      <Icon name={agent.is_bot ? "bot" : deviceIcon(agent.device)} />
      {agent.is_bot ? (agent.bot ?? title("bot")) : `${named(agent.browser)}, ${named(agent.os)}`}
    </span>
  );
}
