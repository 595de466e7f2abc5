import type { ComponentChildren } from "preact";
import type { FilterName } from "../core/filters";
import { valueLabel } from "../core/labels";
import { t } from "../core/language";

interface Props {
  readonly name: FilterName;
  readonly value: string;
  readonly class?: string;
  readonly isChosen?: boolean;
  /** In long lists the values are no stops of their own for the Tab key: the session has them. */
  readonly isQuiet?: boolean;
  readonly children?: ComponentChildren;
}

/** A value to filter by; `shell/values.ts` hears its press, with Alt or without. */
export function Value({ name, value, class: own = "", isChosen, isQuiet, children }: Props) {
  const label = valueLabel(name, value);
  return (
    <button
      type="button"
      class={`value ${own}`}
      data-filter={name}
      data-value={value}
      aria-pressed={isChosen}
      tabIndex={isQuiet ? -1 : undefined}
      title={t().filters.only(label)}
    >
      {children ?? <bdi>{label}</bdi>}
    </button>
  );
}
