import { FILTER_NAMES, UNKNOWN_PLACE, type FilterName } from "../../core/filters";
import { filterOf, type Dimension } from "../../core/groupings";
import { valueLabel } from "../../core/labels";
import { t } from "../../core/language";

/** A dimension's value as a filter has it; null where no filter is about the dimension. */
export function filterValue(
  dimension: Dimension,
  value: string | null,
): { readonly name: FilterName; readonly value: string } | null {
  const name = filterOf(dimension, FILTER_NAMES);
  if (name === null) return null;
  return { name, value: value ?? (name === "country" ? UNKNOWN_PLACE : "") };
}

/** What is shown of a dimension's value; null is unknown. */
export function valueText(dimension: Dimension, value: string | null): string {
  const filter = filterValue(dimension, value);
  if (filter) return valueLabel(filter.name, filter.value);
  return value ?? t().history.none;
}
