// What the history page shows, and how the address says it, beside the filters.
import { NEWEST_FIRST, sortFrom, type SessionSort } from "./columns";
import { FILTER_NAMES, filterParameters, type Filters } from "./filters";
import { groupingFrom, groupingText, type Grouping } from "./groupings";
import { MEASURES, type Measure } from "./measures";
import { periodFrom, periodText, START_PERIOD, type Period } from "./period";

export interface View {
  readonly period: Period;
  /** Whether the period before is shown, too. */
  readonly compare: boolean;
  readonly measure: Measure;
  /** Bots count only if this or the filters say so. */
  readonly withBots: boolean;
  /** What the two tables are by. */
  readonly tables: readonly [Grouping, Grouping];
  readonly sort: SessionSort;
}

export const START_VIEW: View = {
  period: START_PERIOD,
  compare: false,
  measure: "visitors",
  withBots: false,
  tables: [["path"], ["channel"]],
  sort: NEWEST_FIRST,
};

const NAMES = ["range", "compare", "measure", "everyone", "by", "also", "order", "tz"] as const;

/** Reads a query string; what it does not know is as in the beginning. */
export function viewFrom(query: string): View {
  const given = new URLSearchParams(query);
  const text = (name: (typeof NAMES)[number]) => given.get(name) ?? "";
  const [by, also] = START_VIEW.tables;
  return {
    period: periodFrom(text("range")) ?? START_VIEW.period,
    compare: text("compare") === "1",
    measure: MEASURES.find((each) => each === text("measure")) ?? START_VIEW.measure,
    withBots: text("everyone") === "1",
    tables: [groupingFrom(text("by")) ?? by, groupingFrom(text("also")) ?? also],
    sort: sortFrom(text("order")) ?? START_VIEW.sort,
  };
}

/** The time zone that an address is about, or "". */
export function zoneFrom(query: string): string {
  return new URLSearchParams(query).get("tz") ?? "";
}

/** The query string that shows the view in that time zone, with all else that stood in it. */
export function withView(query: string, view: View, timeZone: string): string {
  const next = new URLSearchParams(query);
  const write = (name: (typeof NAMES)[number], value: string, start: string) =>
    value === start ? next.delete(name) : next.set(name, value);
  write("range", periodText(view.period), periodText(START_VIEW.period));
  write("compare", view.compare ? "1" : "", "");
  write("measure", view.measure, START_VIEW.measure);
  write("everyone", view.withBots ? "1" : "", "");
  write("by", groupingText(view.tables[0]), groupingText(START_VIEW.tables[0]));
  write("also", groupingText(view.tables[1]), groupingText(START_VIEW.tables[1]));
  write("order", view.sort, START_VIEW.sort);
  write("tz", timeZone, "");
  return next.toString();
}

/** The query string with these filters, and with all else that stood in it. */
export function withFilters(query: string, filters: Filters): string {
  const next = new URLSearchParams(query);
  for (const name of [...FILTER_NAMES, "q"]) next.delete(name);
  for (const [name, value] of filterParameters(filters)) next.append(name, value);
  return next.toString();
}
