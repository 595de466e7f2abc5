import { count, plural } from "../core/format";
import { t } from "../core/language";
import type { Presence } from "../core/presence";

interface Props {
  readonly here: Presence;
  /** False before the server has said anything. */
  readonly isKnown: boolean;
}

export function Here({ here, isKnown }: Props) {
  const { live } = t();
  const [person, people] = live.person;
  return (
    <section class="panel here" aria-labelledby="here-title">
      <h2 id="here-title" class="panel-title">
        {live.here}
      </h2>
      <p class="here-number" data-testid="people">
        {isKnown ? count(here.people) : "–"}
        <span class="here-unit">{here.people === 1 ? person : people}</span>
      </p>
      <Split people={here.people} bots={here.bots} />
      <p class="here-note">
        <i class="key key-people" /> {live.people}
        <span data-testid="bots">
          <i class="key key-bots" /> {plural(here.bots, ...live.bot)}
        </span>
        <a class="to-sessions" href="#sessions">
          {live.toSessions}
        </a>
      </p>
    </section>
  );
}

function Split({ people, bots }: Presence) {
  const share = people + bots === 0 ? 0 : people / (people + bots);
  return (
    <div class="split" aria-hidden="true">
      <div class="split-people" style={{ width: `${share * 100}%` }} />
      {bots > 0 && <div class="split-bots" />}
    </div>
  );
}
