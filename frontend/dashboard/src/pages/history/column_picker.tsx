import { Disclosure } from "./disclosure";
import { COLUMNS, FIRST_COLUMNS, withToggled, type Column } from "../../core/columns";
import { t } from "../../core/language";

interface Props {
  readonly columns: readonly Column[];
  readonly onChange: (columns: readonly Column[]) => void;
}

export function ColumnPicker({ columns, onChange }: Props) {
  const told = t().history;
  return (
    <Disclosure class="to-left" label={told.chooseColumns}>
      {() => (
        <fieldset class="columns">
          <legend class="visually-hidden">{told.chooseColumns}</legend>
          {COLUMNS.map((column) => (
            <label key={column} class="check">
              <input
                type="checkbox"
                checked={columns.includes(column)}
                onChange={() => onChange(withToggled(columns, column))}
              />
              {told.columns[column]}
            </label>
          ))}
          <button type="button" class="link-button" onClick={() => onChange(FIRST_COLUMNS)}>
            {told.usualColumns}
          </button>
        </fieldset>
      )}
    </Disclosure>
  );
}
