import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../view/icons";
import { addDays, addMonths, isDay, weeksOfMonth, type Day, type Days } from "../../core/calendar";
import { dayText, daysText, monthText, weekdays } from "../../core/dates";
import { t } from "../../core/language";
import { spanning } from "../../core/period";

interface Props {
  readonly days: Days;
  readonly today: Day;
  readonly onChoose: (days: Days) => void;
}

/** Two days of a month's sheet, the first press and the second; or the same typed. */
export function Calendar({ days, today, onChoose }: Props) {
  const [draft, write] = useState<Days>(days);
  const [start, begin] = useState<Day | null>(null);
  const press = (day: Day) => {
    begin(start === null ? day : null);
    write(spanning(start ?? day, day));
  };
  const type = (one: Day, other: Day) => {
    if (isDay(one) && isDay(other)) write(spanning(one, other));
  };
  const told = t().history;
  return (
    <form
      class="calendar"
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(draft);
      }}
    >
      <Sheet draft={draft} today={today} onPress={press} />
      <div class="calendar-typed">
        <DayInput label={told.from} day={draft.first} onType={(day) => type(day, draft.last)} />
        <DayInput label={told.to} day={draft.last} onType={(day) => type(draft.first, day)} />
      </div>
      <p class="quiet" aria-live="polite">
        {start === null ? daysText(draft) : told.pressLast(dayText(start))}
      </p>
      <button type="submit" class="tool strong">
        {told.show}
      </button>
    </form>
  );
}

interface DayInputProps {
  readonly label: string;
  readonly day: Day;
  readonly onType: (day: Day) => void;
}

function DayInput({ label, day, onType }: DayInputProps) {
  return (
    <label>
      {label}
      <input type="date" value={day} onInput={(event) => onType(event.currentTarget.value)} />
    </label>
  );
}

interface SheetProps {
  readonly draft: Days;
  readonly today: Day;
  readonly onPress: (day: Day) => void;
}

const STEPS: Readonly<Record<string, (day: Day) => Day>> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
};

/** A month. One of its days is in the tab order; the arrows lead to the others. */
function Sheet({ draft, today, onPress }: SheetProps) {
  const [at, go] = useState<Day>(draft.last);
  const sheet = useRef<HTMLTableElement>(null);
  const hasMoved = useRef(false);
  useLayoutEffect(() => {
    if (hasMoved.current) sheet.current!.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    hasMoved.current = false;
  }, [at]);
  const step = (event: KeyboardEvent) => {
    const next = STEPS[event.key]?.(at);
    if (next === undefined || !isDay(next)) return;
    event.preventDefault();
    hasMoved.current = true;
    go(next);
  };
  return (
    <>
      <Month day={at} onGo={go} />
      <table ref={sheet} onKeyDown={step}>
        <caption class="visually-hidden">{monthText(at)}</caption>
        <thead>
          <tr>
            {weekdays().map(({ short, long }) => (
              <th key={long} scope="col" abbr={long}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOfMonth(at).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <DayCell key={day} {...{ day, at, draft, today }} onPress={onPress} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface DayCellProps {
  readonly day: Day;
  readonly at: Day;
  readonly draft: Days;
  readonly today: Day;
  readonly onPress: (day: Day) => void;
}

function DayCell({ day, at, draft, today, onPress }: DayCellProps) {
  const isIn = draft.first <= day && day <= draft.last;
  const isEdge = day === draft.first || day === draft.last;
  const isOther = day.slice(0, 7) !== at.slice(0, 7);
  const kinds = [isIn && "is-in", isEdge && "is-edge", isOther && "is-other"];
  return (
    <td class={kinds.filter(Boolean).join(" ")}>
      <button
        type="button"
        tabIndex={day === at ? 0 : -1}
        aria-pressed={isIn}
        aria-current={day === today ? "date" : undefined}
        aria-label={dayText(day)}
        onClick={() => onPress(day)}
      >
        {Number(day.slice(8))}
      </button>
    </td>
  );
}

function Month({ day, onGo }: { readonly day: Day; readonly onGo: (day: Day) => void }) {
  const told = t().history;
  return (
    <div class="calendar-month">
      <button
        type="button"
        class="tool"
        aria-label={told.monthBefore}
        onClick={() => onGo(addMonths(day, -1))}
      >
        <Icon name="before" />
      </button>
      <b aria-live="polite">{monthText(day)}</b>
      <button
        type="button"
        class="tool"
        aria-label={told.monthAfter}
        onClick={() => onGo(addMonths(day, 1))}
      >
        <Icon name="after" />
      </button>
    </div>
  );
}
