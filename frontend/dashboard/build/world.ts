// The world map as plain SVG paths, made from Natural Earth's outlines while building.
import { createRequire } from "node:module";
import { geoNaturalEarth1, geoPath } from "d3-geo";
import { iso31661NumericToAlpha2 } from "iso-3166";
import { feature } from "topojson-client";
import type { Plugin } from "vite";
import type { FeatureCollection } from "geojson";

const ID = "virtual:world";
const RESOLVED = `\0${ID}`;
const WIDTH = 960;
/** Natural Earth's outlines of these carry no ISO number. */
const WITHOUT_NUMBER: Readonly<Record<string, string>> = { Kosovo: "XK" };

export function world(): Plugin {
  return {
    name: "clickwake-world",
    resolveId: (id) => (id === ID ? RESOLVED : null),
    load: (id) => (id === RESOLVED ? `export default ${JSON.stringify(drawWorld())};` : null),
  };
}

/** Nobody browses from Antarctica often enough to spend a fifth of the map on it. */
function outlines(): FeatureCollection {
  const topology = createRequire(import.meta.url)("world-atlas/countries-110m.json");
  const whole = feature(topology, topology.objects.countries) as unknown as FeatureCollection;
  return { ...whole, features: whole.features.filter((each) => each.id !== "010") };
}

function drawWorld() {
  const countries = outlines();
  const projection = geoNaturalEarth1().fitWidth(WIDTH, countries);
  const path = geoPath(projection).digits(1);
  const [x, y] = projection.translate();
  return {
    width: WIDTH,
    height: Math.ceil(path.bounds(countries)[1][1]),
    scale: projection.scale(),
    x,
    y,
    countries: countries.features.map((each) => ({
      code: codeOf(each.id, String(each.properties?.["name"])),
      path: path(each) ?? "",
    })),
  };
}

function codeOf(number: string | number | undefined, name: string): string | null {
  return iso31661NumericToAlpha2[String(number)] ?? WITHOUT_NUMBER[name] ?? null;
}
