import { Flag } from "./flag";
import { World } from "./world";
import { UNKNOWN_PLACE } from "../core/filters";
import { count, countryName } from "../core/format";
import { scene, type Model } from "../core/model";
import { byCountry, bySpot, sessionsHere, type Place } from "../core/presence";
import type { Dashboard } from "../shell/dashboard";

const ROWS = 7;

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
  readonly now: number;
}

export function Places({ model, dashboard, now }: Props) {
  const here = sessionsHere(scene(model).book, now);
  const places = byCountry(here);
  const chosen = model.filters.country;
  const choose = (country: string) =>
    dashboard.filter({ country: country === dashboard.model.filters.country ? "" : country });
  return (
    <section class="panel places" aria-labelledby="places-title">
      <h2 id="places-title" class="panel-title">
        Where they are
      </h2>
      <div class="places-grid">
        <World places={places} spots={bySpot(here)} chosen={chosen} onChoose={choose} />
        <PlaceTable places={places} chosen={chosen} onChoose={choose} />
      </div>
    </section>
  );
}

interface TableProps {
  readonly places: readonly Place[];
  readonly chosen: string;
  readonly onChoose: (country: string) => void;
}

function PlaceTable({ places, chosen, onChoose }: TableProps) {
  const most = Math.max(1, ...places.map((place) => place.sessions));
  if (places.length === 0) return <p class="quiet">Nobody is here at the moment.</p>;
  return (
    <div class="scroll-table" tabIndex={places.length > ROWS ? 0 : -1}>
      <table class="bars-table" data-testid="countries">
        <thead class="visually-hidden">
          <tr>
            <th>Country</th>
            <th>Open sessions</th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
            <PlaceRow
              key={place.country ?? UNKNOWN_PLACE}
              place={place}
              share={place.sessions / most}
              isChosen={chosen === (place.country ?? UNKNOWN_PLACE)}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly place: Place;
  readonly share: number;
  readonly isChosen: boolean;
  readonly onChoose: (country: string) => void;
}

function PlaceRow({ place, share, isChosen, onChoose }: RowProps) {
  return (
    <tr class={isChosen ? "is-chosen" : ""}>
      <td>
        <div class="bar-fill" style={{ width: `${share * 100}%` }} />
        <button
          type="button"
          class="bar-label"
          aria-pressed={isChosen}
          title="Show only these sessions"
          onClick={() => onChoose(place.country ?? UNKNOWN_PLACE)}
        >
          <Flag country={place.country} />
          {countryName(place.country)}
        </button>
      </td>
      <td class="number">{count(place.sessions)}</td>
    </tr>
  );
}
