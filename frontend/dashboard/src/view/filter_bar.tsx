import { AddFilter } from "./add_filter";
import { Icon } from "./icons";
import {
  activeFilters,
  isExcluding,
  isFiltering,
  opposite,
  type FilterName,
} from "../core/filters";
import { valueLabel } from "../core/labels";
import { t } from "../core/language";
import type { Model } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

/** The filters of every page: what they are, how to turn one round, and how to add one. */
export function FilterBar({ model, dashboard }: Props) {
  const { filters } = model;
  return (
    <div class="filter-bar" role="search" aria-label={t().filters.title}>
      <PageSearch value={filters.q} onInput={(q) => dashboard.filter({ q })} />
      {activeFilters(filters).flatMap((name) =>
        filters[name].map((value) => (
          <Chip key={`${name}=${value}`} name={name} value={value} dashboard={dashboard} />
        )),
      )}
      <AddFilter model={model} dashboard={dashboard} />
      {isFiltering(filters) && (
        <button type="button" class="clear" onClick={() => dashboard.clearFilters()}>
          {t().filters.clear}
        </button>
      )}
    </div>
  );
}

interface ChipProps {
  readonly name: FilterName;
  readonly value: string;
  readonly dashboard: Dashboard;
}

function Chip({ name, value, dashboard }: ChipProps) {
  const { filters: texts } = t();
  const label = valueLabel(name, value);
  const verb = isExcluding(value) ? texts.isNot : texts.is;
  const whole = name === "bots" ? label : `${texts.names[name]} ${verb} ${label}`;
  return (
    <span class={`chip ${isExcluding(value) ? "is-excluding" : ""}`} data-testid="chip">
      {name !== "bots" && <span class="chip-name">{texts.names[name]}</span>}
      <button
        type="button"
        class="chip-verb"
        aria-label={texts.flip(whole)}
        title={texts.flip(whole)}
        onClick={() => dashboard.toggleFilter(name, opposite(name, value))}
      >
        {name === "bots" ? "⇄" : verb}
      </button>
      <bdi class="chip-value">{label}</bdi>
      <button
        type="button"
        class="chip-remove"
        aria-label={texts.remove(whole)}
        onClick={() => dashboard.toggleFilter(name, value)}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

interface SearchProps {
  readonly value: string;
  readonly onInput: (text: string) => void;
}

function PageSearch({ value, onInput }: SearchProps) {
  const { search, placeholder } = t().filters;
  return (
    <label class="search">
      <Icon name="search" />
      <input
        id="page-search"
        type="search"
        placeholder={placeholder}
        aria-label={search}
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
