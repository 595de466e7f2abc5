import { geoNaturalEarth1Raw } from "d3-geo";
import world from "virtual:world";

/** Degrees to the map's own coordinates, by the projection that the map was drawn with. */
export function project(latitude: number, longitude: number): [number, number] {
  const radians = Math.PI / 180;
  const [x, y] = geoNaturalEarth1Raw(longitude * radians, latitude * radians);
  return [world.x + world.scale * x, world.y - world.scale * y];
}
