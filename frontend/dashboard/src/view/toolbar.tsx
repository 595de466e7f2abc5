import { useMemo } from "preact/hooks";
import { Icon } from "./icons";
import { count, countryName, title } from "../core/format";
import {
  isFiltering,
  STATUSES,
  UNKNOWN_PLACE,
  type BotFilter,
  type StatusFilter,
} from "../core/filters";
import { scene, type Model } from "../core/model";
import { byCountry } from "../core/presence";
import type { Dashboard } from "../shell/dashboard";
import type { Book } from "../core/book";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

type Option = readonly [value: string, label: string];

export function Toolbar({ model, dashboard }: Props) {
  const { filters } = model;
  const { book } = scene(model);
  const countries = useMemo(() => countryOptions(book, filters.country), [book, filters.country]);
  const channels = useMemo(() => channelOptions(book, filters.channel), [book, filters.channel]);
  return (
    <div class="toolbar" role="search" aria-label="Filter sessions">
      <PageSearch value={filters.page} onInput={(page) => dashboard.filter({ page })} />
      <Chip
        label="Status"
        value={filters.status}
        options={STATUSES.map((status) => [status, title(status)])}
        onChange={(status) => dashboard.filter({ status: status as StatusFilter })}
      />
      <Chip
        label="Visitors"
        value={filters.bots}
        options={[
          ["people", "People only"],
          ["bots", "Bots only"],
        ]}
        onChange={(bots) => dashboard.filter({ bots: bots as BotFilter })}
      />
      <Chip
        label="Country"
        value={filters.country}
        options={countries}
        onChange={(country) => dashboard.filter({ country })}
      />
      <Chip
        label="Channel"
        value={filters.channel}
        options={channels}
        onChange={(channel) => dashboard.filter({ channel })}
      />
      {isFiltering(filters) && (
        <button type="button" class="clear" onClick={() => dashboard.clearFilters()}>
          Clear
        </button>
      )}
    </div>
  );
}

interface SearchProps {
  readonly value: string;
  readonly onInput: (text: string) => void;
}

function PageSearch({ value, onInput }: SearchProps) {
  return (
    <label class="search">
      <Icon name="search" />
      <input
        id="page-search"
        type="search"
        placeholder="Page contains…"
        aria-label="Page contains"
        aria-keyshortcuts="/"
        autocomplete="off"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

interface ChipProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

/** A choice that reads as a chip; when it is set, it can be taken away with one press. */
function Chip({ label, value, options, onChange }: ChipProps) {
  return (
    <span class={`chip ${value ? "is-set" : ""}`}>
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{label}</option>
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {value !== "" && (
        <button type="button" aria-label={`Remove filter: ${label}`} onClick={() => onChange("")}>
          <Icon name="close" />
        </button>
      )}
    </span>
  );
}

function countryOptions(book: Book, chosen: string): Option[] {
  const places = byCountry(book.values());
  const options = places.map(({ country, sessions }): Option => {
    const value = country ?? UNKNOWN_PLACE;
    const name = countryName(country);
    return [value, value === chosen ? name : `${name} (${count(sessions)})`];
  });
  return withChosen(options, chosen, countryName(chosen));
}

function channelOptions(book: Book, chosen: string): Option[] {
  const channels = new Set([...book.values()].map((session) => session.attribution.channel));
  const options = [...channels].sort().map((channel): Option => [channel, title(channel)]);
  return withChosen(options, chosen, title(chosen));
}

/** What a link asks for stays choosable, even if no session has it yet. */
function withChosen(options: Option[], chosen: string, name: string): Option[] {
  if (chosen === "" || options.some(([value]) => value === chosen)) return options;
  return [...options, [chosen, name]];
}
