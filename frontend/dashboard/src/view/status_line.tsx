import { useRef } from "preact/hooks";
import { announce, gist, type Spoken } from "../core/announce";
import { badge } from "../core/connection";
import { scene, type Model } from "../core/model";
import { presence } from "../core/presence";

/** Speaks to screen readers only, at most every 15 s. */
export function StatusLine({ model }: { readonly model: Model }) {
  const spoken = useRef<Spoken | null>(null);
  const now = Date.now();
  const state = badge(model.link, model.paused?.since ?? null, now);
  const text = gist(state, presence(scene(model).counts), model.paused?.fresh.size ?? 0);
  spoken.current = announce(spoken.current, text, now);
  return (
    <p class="visually-hidden" role="status" data-testid="status-line">
      {spoken.current.text}
    </p>
  );
}
