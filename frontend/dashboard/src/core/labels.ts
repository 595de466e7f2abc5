// What people read for a filter's value.
import { plainValue, type FilterName } from "./filters";
import { countryName, named, title } from "./format";
import { t } from "./language";

export function valueLabel(name: FilterName, value: string): string {
  const plain = plainValue(value);
  switch (name) {
    case "country":
      return countryName(plain);
    case "bots":
      return plain === "only" ? t().filters.bots.only : t().filters.bots.exclude;
    case "channel":
    case "device":
    case "status":
      return title(plain);
    case "browser":
    case "os":
      return named(plain);
    default:
      return plain === "" ? emptyLabel(name) : plain;
  }
}

function emptyLabel(name: FilterName): string {
  const { live, filters } = t();
  if (name === "referrer_domain") return live.noReferrer;
  return name === "entry" || name === "exit" ? live.apiOnly : filters.none;
}
