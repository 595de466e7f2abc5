import { badge, type Badge as State } from "../core/connection";
import { median } from "../core/delay";
import { clockTime, delay, type Zone } from "../core/format";
import type { Model } from "../core/model";

const MEANINGS = {
  connecting: "Opening the connection to the live feed.",
  live: "Every change is shown as it happens.",
  reconnecting: "The connection was lost; trying again by itself.",
  paused: "The page stands still; changes are being collected.",
  connection: "Nothing has arrived from the server since; trying again by itself.",
  absent:
    "The server answers, but no session job has written anything yet. ./clickwake status says why.",
  pipeline:
    "The server answers, but the session job has written nothing since. ./clickwake status says why.",
} as const;

export function Badge({ model }: { readonly model: Model }) {
  const state = badge(model.link, model.paused?.since ?? null, Date.now());
  const meaning = MEANINGS[state.kind === "stale" ? state.cause : state.kind];
  return (
    <span class={`badge badge-${state.kind}`} title={meaning} data-testid="badge">
      <span class="badge-dot" />
      <span class="badge-text">{label(state, model.zone)}</span>
      {state.kind === "live" && <Delay delays={model.delays} />}
    </span>
  );
}

function Delay({ delays }: { readonly delays: readonly number[] }) {
  const middle = median(delays);
  if (middle === null) return null;
  const title = `From the site's response to this screen: the middle of the last ${delays.length} measured.`;
  return (
    <span class="badge-delay" title={title} data-testid="delay">
      <span class="wide-only">delay </span>
      {delay(middle)}
    </span>
  );
}

function label(state: State, zone: Zone): string {
  switch (state.kind) {
    case "connecting":
      return "Connecting";
    case "live":
      return "Live";
    case "reconnecting":
      return "Reconnecting";
    case "paused":
      return "Paused";
    case "stale":
      return `Stale since ${clockTime(state.since, zone)}`;
  }
}
