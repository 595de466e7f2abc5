import { useState } from "preact/hooks";
import { Menu } from "./menu";
import { tallied } from "../core/crowd";
import { FILTER_NAMES, opposite, STATUSES, type FilterName } from "../core/filters";
import { valueLabel } from "../core/labels";
import { t } from "../core/language";
import { scene, type Model } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

const MOST_OPTIONS = 50;
/** Names whose every value is known; of the others any text may be asked for. */
const CLOSED: Partial<Record<FilterName, readonly string[]>> = {
  status: STATUSES,
  bots: ["exclude", "only"],
};

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

/** The way to any filter without a mouse, and to values that are not on the screen. */
export function AddFilter({ model, dashboard }: Props) {
  const { filters: texts } = t();
  return (
    <Menu class="add-filter" testId="add-filter" summary={`+ ${texts.add}`}>
      <Form model={model} dashboard={dashboard} />
    </Menu>
  );
}

function Form({ model, dashboard }: Props) {
  const [name, choose] = useState<FilterName>("country");
  const [value, write] = useState("");
  const [isExcluded, exclude] = useState(false);
  const { filters: texts } = t();
  const options = optionsOf(model, name);
  const submit = (event: Event) => {
    event.preventDefault();
    const meant = options.find(({ label }) => label.toLowerCase() === value.trim().toLowerCase());
    const chosen = meant?.value ?? value.trim();
    dashboard.toggleFilter(name, isExcluded ? opposite(name, chosen) : chosen);
    write("");
  };
  return (
    <form onSubmit={submit}>
      <label>
        {texts.by}
        <select
          value={name}
          onChange={(event) => {
            choose(event.currentTarget.value as FilterName);
            write("");
          }}
        >
          {FILTER_NAMES.map((each) => (
            <option key={each} value={each}>
              {texts.names[each]}
            </option>
          ))}
        </select>
      </label>
      {name !== "bots" && (
        <label>
          <span class="visually-hidden">
            {texts.is} / {texts.isNot}
          </span>
          <select
            value={isExcluded ? "!" : ""}
            onChange={(event) => exclude(event.currentTarget.value === "!")}
          >
            <option value="">{texts.is}</option>
            <option value="!">{texts.isNot}</option>
          </select>
        </label>
      )}
      <label>
        {texts.value}
        <input
          list="filter-values"
          required
          autocomplete="off"
          value={value}
          onInput={(event) => write(event.currentTarget.value)}
        />
      </label>
      <datalist id="filter-values">
        {options.map((option) => (
          <option key={option.value} value={option.label} />
        ))}
      </datalist>
      <button type="submit" class="primary">
        {texts.apply}
      </button>
    </form>
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

function optionsOf(model: Model, name: FilterName): Option[] {
  const values =
    CLOSED[name] ??
    tallied([...scene(model).book.values()], name)
      .slice(0, MOST_OPTIONS)
      .map((each) => each.value);
  return values.map((value) => ({ value, label: valueLabel(name, value) }));
}
