import { DIMENSIONS, type Dimension, type Grouping } from "../../core/groupings";
import { t } from "../../core/language";

interface Props {
  readonly grouping: Grouping;
  readonly onChange: (grouping: Grouping) => void;
}

/** The dimension of a table, and the second one that its values are parted by. */
export function GroupingPicker({ grouping: [first, second], onChange }: Props) {
  const told = t().history;
  return (
    <div class="grouping">
      <select
        aria-label={told.by}
        value={first}
        onChange={(event) => {
          const chosen = event.currentTarget.value as Dimension;
          onChange(second && second !== chosen ? [chosen, second] : [chosen]);
        }}
      >
        <Dimensions without={null} />
      </select>
      <span aria-hidden="true">×</span>
      <select
        aria-label={told.andBy}
        value={second ?? ""}
        onChange={(event) => {
          const chosen = event.currentTarget.value as Dimension | "";
          onChange(chosen === "" ? [first] : [first, chosen]);
        }}
      >
        <option value="">–</option>
        <Dimensions without={first} />
      </select>
    </div>
  );
}

function Dimensions({ without }: { readonly without: Dimension | null }) {
  return (
    <>
      {DIMENSIONS.filter((each) => each !== without).map((each) => (
        <option key={each} value={each}>
          {t().history.dimensions[each]}
        </option>
      ))}
    </>
  );
}
