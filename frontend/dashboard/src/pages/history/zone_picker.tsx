import { useState } from "preact/hooks";
import { Disclosure } from "./disclosure";
import { isTimeZone } from "../../core/calendar";
import { timeZone } from "../../core/format";
import { t } from "../../core/language";
import type { Dashboard } from "../../shell/dashboard";

/** Whose days these are: this browser's, UTC's, or any other place's. */
export function ZonePicker({ dashboard }: { readonly dashboard: Dashboard }) {
  const { zone } = dashboard.model;
  return (
    <Disclosure
      label={
        <>
          <span class="visually-hidden">{t().history.timeZone} </span>
          {timeZone(zone)}
        </>
      }
    >
      {(close) => (
        <Choice
          zone={zone}
          onChoose={(chosen) => {
            dashboard.prefer({ zone: chosen });
            close();
          }}
        />
      )}
    </Disclosure>
  );
}

interface ChoiceProps {
  readonly zone: string;
  readonly onChoose: (zone: string) => void;
}

function Choice({ zone, onChoose }: ChoiceProps) {
  const [typed, type] = useState("");
  const [isWrong, mark] = useState(false);
  const told = t().history;
  const submit = (event: Event) => {
    event.preventDefault();
    const name = typed.trim();
    if (isTimeZone(name)) onChoose(name);
    else mark(true);
  };
  return (
    <form class="zones" onSubmit={submit}>
      <div class="segments" role="group" aria-label={told.timeZone}>
        {(["local", "utc"] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === zone}
            onClick={() => onChoose(each)}
          >
            {told.zones[each]}
          </button>
        ))}
      </div>
      <label>
        {told.otherZone}
        <input
          list="time-zones"
          value={typed}
          placeholder={told.zoneExample}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={isWrong}
          onInput={(event) => {
            type(event.currentTarget.value);
            mark(false);
          }}
        />
      </label>
      <datalist id="time-zones">
        {Intl.supportedValuesOf("timeZone").map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {isWrong && (
        <p class="problem-note" role="alert">
          {told.noSuchZone}
        </p>
      )}
      <button type="submit" class="tool strong">
        {told.show}
      </button>
    </form>
  );
}
