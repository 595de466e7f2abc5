import { DelayMenu } from "./delay";
import { badge, type Badge as State } from "../core/connection";
import { clockTime, type Zone } from "../core/format";
import { t } from "../core/language";
import { isSampled, type Model } from "../core/model";

export function Badge({ model }: { readonly model: Model }) {
  const state = badge(model.link, model.paused?.since ?? null, Date.now(), isSampled(model));
  const isLive = state.kind === "live" || state.kind === "sampled";
  const meaning = t().badge.meanings[state.kind === "stale" ? state.cause : state.kind];
  return (
    <div class="badges">
      <span class={`badge badge-${state.kind}`} title={meaning} data-testid="badge">
        <span class="badge-dot" />
        <span class="badge-text">{label(state, model.zone)}</span>
      </span>
      {isLive && <DelayMenu delays={model.delays} />}
    </div>
  );
}

function label(state: State, zone: Zone): string {
  const { badge: names } = t();
  return state.kind === "stale" ? names.stale(clockTime(state.since, zone)) : names[state.kind];
}
