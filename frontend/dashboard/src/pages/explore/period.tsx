import { PERIODS } from "../../core/exploration";
import { t } from "../../core/language";
import { Choice } from "./choice";
import type { PartProps } from "./page";

/** The last days, or any days of one's own. */
export function PeriodPicker({ asked, change }: Pick<PartProps, "asked" | "change">) {
  const texts = t().explore;
  return (
    <div class="explore-period">
      <Choice
        label={texts.period}
        value={asked.period}
        options={PERIODS.map((period) => [period, texts.periods[period]] as const)}
        onChange={(period) => change({ period })}
      />
      {asked.period === "custom" && (
        <>
          <Day label={texts.from} value={asked.from} onChange={(from) => change({ from })} />
          <Day label={texts.to} value={asked.to} onChange={(to) => change({ to })} />
        </>
      )}
    </div>
  );
}

interface DayProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
}

function Day({ label, value, onChange }: DayProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}
