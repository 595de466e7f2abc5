import { useState } from "preact/hooks";
import { count, hourMinute, title, type Zone } from "../core/format";
import { t } from "../core/language";
import type { MinuteCount } from "../contracts.gen";

interface Props {
  readonly bars: readonly MinuteCount[];
  readonly begun: readonly number[];
  readonly hasRequests: boolean;
  readonly zone: Zone;
}

/** The chart's numbers, for who cannot see it or wants them. */
export function MinuteTable(props: Props) {
  const [isOpen, show] = useState(false);
  const { live } = t();
  return (
    <details class="as-table" onToggle={(event) => show(event.currentTarget.open)}>
      <summary>{live.asTable}</summary>
      {isOpen && (
        <div class="scroll-table" tabIndex={0} role="group" aria-label={live.minutes}>
          <Table {...props} />
        </div>
      )}
    </details>
  );
}

function Table({ bars, begun, hasRequests, zone }: Props) {
  const { live } = t();
  const columns = [...(hasRequests ? [live.page[1], live.call[1]] : []), live.begun[1]];
  return (
    <table class="plain-table">
      <caption class="visually-hidden">{live.minutes}</caption>
      <thead>
        <tr>
          <th scope="col">{live.minute}</th>
          {columns.map((name) => (
            <th key={name} scope="col">
              {title(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {bars
          .map(({ minute, pages, api_calls: calls }, index) => (
            <tr key={minute}>
              <th scope="row">{hourMinute(minute, zone)}</th>
              {hasRequests && <td class="number">{count(pages)}</td>}
              {hasRequests && <td class="number">{count(calls)}</td>}
              <td class="number">{count(begun[index]!)}</td>
            </tr>
          ))
          .reverse()}
      </tbody>
    </table>
  );
}
