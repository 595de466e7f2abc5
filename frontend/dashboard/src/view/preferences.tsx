import { Menu } from "./menu";
import { Icon } from "./icons";
import { LANGUAGES, t } from "../core/language";
import type { Model, Theme } from "../core/model";
import type { Dashboard } from "../shell/dashboard";

interface Props {
  readonly model: Model;
  readonly dashboard: Dashboard;
}

const THEMES: readonly Theme[] = ["system", "light", "dark"];
const ZONES = ["local", "utc"] as const;
/** Each language calls itself by its own name. */
const OWN_NAMES = { en: "English", de: "Deutsch" } as const;

export function Preferences({ model, dashboard }: Props) {
  const { header } = t();
  return (
    <Menu
      class="preferences"
      label={header.preferences}
      title={header.preferences}
      testId="preferences"
      summary={<Icon name="half" />}
    >
      <Choice
        name={header.colours}
        options={THEMES.map((theme) => [theme, header.themes[theme]])}
        chosen={model.theme}
        onChoose={(theme) => dashboard.prefer({ theme })}
      />
      <Choice
        name={header.times}
        options={zones(model.zone)}
        chosen={model.zone}
        onChoose={(zone) => dashboard.prefer({ zone })}
      />
      <Choice
        name={header.language}
        options={[
          ["system", header.asSystem],
          ...LANGUAGES.map((each) => [each, OWN_NAMES[each]] as const),
        ]}
        chosen={model.language}
        onChoose={(language) => dashboard.prefer({ language })}
      />
    </Menu>
  );
}

/** A place that the history page was asked about stays a choice while it is the chosen one. */
function zones(chosen: string): (readonly [string, string])[] {
  const known = ZONES.map((zone) => [zone, t().header.zones[zone]] as const);
  return known.some(([zone]) => zone === chosen) ? known : [...known, [chosen, chosen]];
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly options: readonly (readonly [T, string])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends string>({ name, options, chosen, onChoose }: ChoiceProps<T>) {
  return (
    <div class="choice">
      <span>{name}</span>
      <div class="segments" role="group" aria-label={name}>
        {options.map(([value, label]) => (
          <button
            key={value}
            type="button"
            aria-pressed={value === chosen}
            onClick={() => onChoose(value)}
          >
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}
