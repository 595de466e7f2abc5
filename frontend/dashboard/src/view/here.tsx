import { count, plural } from "../core/format";
import type { Model } from "../core/model";
import { scene } from "../core/model";
import { presence } from "../core/presence";

export function Here({ model }: { readonly model: Model }) {
  const { counts } = scene(model);
  const here = presence(counts);
  return (
    <section class="panel here" aria-labelledby="here-title">
      <h2 id="here-title" class="panel-title">
        Here now
      </h2>
      <p class="here-number" data-testid="people">
        {counts ? count(here.people) : "–"}
        <span class="here-unit">{here.people === 1 ? "person" : "people"}</span>
      </p>
      <Split people={here.people} bots={here.bots} />
      <p class="here-note">
        <i class="key key-people" /> people
        <span data-testid="bots">
          <i class="key key-bots" /> {plural(here.bots, "bot")}
        </span>
        <a class="to-sessions" href="#sessions">
          Sessions
        </a>
      </p>
    </section>
  );
}

function Split({ people, bots }: { readonly people: number; readonly bots: number }) {
  const share = people + bots === 0 ? 0 : people / (people + bots);
  return (
    <div class="split" aria-hidden="true">
      <div class="split-people" style={{ width: `${share * 100}%` }} />
      {bots > 0 && <div class="split-bots" />}
    </div>
  );
}
