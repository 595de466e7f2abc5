import { Flag } from "./flag";
import { Value } from "./value";
import { World } from "./world";
import { choiceOf, isFiltering, UNKNOWN_PLACE, type Filters } from "../core/filters";
import { count, countryName } from "../core/format";
import { t } from "../core/language";
import { byCountry, bySpot, type Place } from "../core/presence";
import type { SessionUpdate } from "../contracts.gen";

const ROWS = 7;

interface Props {
  readonly here: readonly SessionUpdate[];
  readonly filters: Filters;
}

export function Places({ here, filters }: Props) {
  const places = byCountry(here);
  return (
    <section class="panel places" aria-labelledby="places-title">
      <h2 id="places-title" class="panel-title">
        {t().live.places}
      </h2>
      <div class="places-grid">
        <World places={places} spots={bySpot(here)} chosen={filters.country.join()} />
        <PlaceTable places={places} filters={filters} />
      </div>
    </section>
  );
}

interface TableProps {
  readonly places: readonly Place[];
  readonly filters: Filters;
}

function PlaceTable({ places, filters }: TableProps) {
  const { live } = t();
  const most = Math.max(1, ...places.map((place) => place.sessions));
  if (places.length === 0) {
    return <p class="quiet">{isFiltering(filters) ? live.nobodyMatches : live.nobody}</p>;
  }
  const isLong = places.length > ROWS;
  return (
    <div
      class="scroll-table"
      {...(isLong ? { tabIndex: 0, role: "group", "aria-label": live.places } : {})}
    >
      <table class="bars-table" data-testid="countries">
        <caption class="visually-hidden">{live.places}</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">{live.country}</th>
            <th scope="col">{live.open}</th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
            <PlaceRow
              key={place.country ?? UNKNOWN_PLACE}
              place={place}
              share={place.sessions / most}
              isChosen={choiceOf(filters, "country", place.country ?? UNKNOWN_PLACE) === "wanted"}
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
}

function PlaceRow({ place, share, isChosen }: RowProps) {
  return (
    <tr class={isChosen ? "is-chosen" : ""}>
      <th scope="row">
        <div class="bar-fill" style={{ width: `${share * 100}%` }} />
        <Value
          name="country"
          value={place.country ?? UNKNOWN_PLACE}
          class="bar-label"
          isChosen={isChosen}
        >
          <Flag country={place.country} />
          {countryName(place.country)}
        </Value>
      </th>
      <td class="number">{count(place.sessions)}</td>
    </tr>
  );
}
