import world from "virtual:world";
import { memo } from "./memo";
import { project } from "./projection";
import { countryName, plural } from "../core/format";
import { t } from "../core/language";
import type { Place, Spot } from "../core/presence";

const LEVELS = 5;
const MOST_SPOTS = 200;
const VIEW = `0 0 ${world.width} ${world.height}`;

interface Props {
  readonly places: readonly Place[];
  readonly spots: readonly Spot[];
  /** The countries that the page is filtered by, with commas between them. */
  readonly chosen: string;
}

/** Open sessions on a map. The table beside it says the same, and can be reached by keyboard. */
export function World({ places, spots, chosen }: Props) {
  const known = new Map(places.map((place) => [place.country, place.sessions]));
  const most = Math.max(1, ...known.values());
  const wanted = new Set(chosen.split(","));
  return (
    <div class="world">
      <svg viewBox={VIEW} role="img" aria-label={t().live.map}>
        {world.countries.map(({ code, path }, index) => (
          <Country
            key={index}
            code={code}
            path={path}
            sessions={known.get(code ?? "") ?? 0}
            level={level(known.get(code ?? "") ?? 0, most)}
            isChosen={code !== null && wanted.has(code)}
          />
        ))}
      </svg>
      <svg class="spots" viewBox={VIEW} aria-hidden="true">
        {spots.slice(0, MOST_SPOTS).map((spot) => (
          <SpotMark key={spotKey(spot)} {...spot} />
        ))}
      </svg>
    </div>
  );
}

interface CountryProps {
  readonly code: string | null;
  readonly path: string;
  readonly sessions: number;
  readonly level: number;
  readonly isChosen: boolean;
}

const Country = memo(function Country(props: CountryProps) {
  const { code, path, sessions, level, isChosen } = props;
  const chosen = isChosen ? "is-chosen" : "";
  if (code === null || sessions === 0) return <path class={`country level-0 ${chosen}`} d={path} />;
  return (
    <path
      class={`country level-${level} ${chosen}`}
      d={path}
      data-filter="country"
      data-value={code}
    >
      <title>{`${countryName(code)}: ${plural(sessions, ...t().live.openSession)}`}</title>
    </path>
  );
});

/** A new session at a spot makes a new mark, whose ring spreads once. */
const SpotMark = memo(function SpotMark({ latitude, longitude, sessions }: Spot) {
  const [x, y] = project(latitude, longitude);
  const radius = 2.6 + Math.sqrt(sessions) * 1.7;
  return (
    <g class="spot">
      <circle class="spot-ring" cx={x} cy={y} r={radius} />
      <circle class="spot-dot" cx={x} cy={y} r={radius} />
    </g>
  );
});

function spotKey({ latitude, longitude, sessions }: Spot): string {
  return `${Math.round(latitude)}/${Math.round(longitude)}/${sessions}`;
}

/** Each level stands for a doubling or more, so that one busy country hides no other. */
function level(sessions: number, most: number): number {
  if (sessions === 0) return 0;
  return Math.max(1, Math.ceil((Math.log2(sessions + 1) / Math.log2(most + 1)) * LEVELS));
}
