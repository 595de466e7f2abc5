import folder from "virtual:flags";
import { countryName } from "../core/format";

/** The country's name stands beside it, so the picture itself stays silent. */
export function Flag({ country }: { readonly country: string | null }) {
  if (!country || !/^[A-Z]{2}$/.test(country)) return <span class="flag flag-none" />;
  const source = `./${folder}/${country}.svg`;
  return (
    <img class="flag" src={source} alt="" width="21" height="14" title={countryName(country)} />
  );
}
