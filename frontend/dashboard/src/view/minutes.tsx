import { useState } from "preact/hooks";
import { MinuteTable } from "./minute_table";
import { count, hourMinute, plural, type Zone } from "../core/format";
import { t } from "../core/language";
import { ceiling } from "../core/minutes";
import { memo } from "./memo";
import type { MinuteCount } from "../contracts.gen";

const WIDTH = 600;
const HEIGHT = 104;
const GAP = 2;

interface Props {
  readonly bars: readonly MinuteCount[];
  /** Sessions that began in each of the minutes. */
  readonly begun: readonly number[];
  /** Whether the requests are known: they are counted for all visitors together. */
  readonly hasRequests: boolean;
  readonly zone: Zone;
}

export function Minutes({ bars, begun, hasRequests, zone }: Props) {
  const [pointed, point] = useState<number | null>(null);
  const { live } = t();
  const index = pointed ?? bars.length - 1;
  const read = bars[index]!;
  return (
    <section class="panel minutes" aria-labelledby="minutes-title">
      <div class="panel-head">
        <h2 id="minutes-title" class="panel-title">
          {hasRequests ? live.minutes : live.minutesFiltered}
        </h2>
        <p class="reading">
          <span class="reading-time">
            {pointed === null ? live.thisMinute : hourMinute(read.minute, zone)}
          </span>
          {hasRequests && (
            <>
              <span>
                <i class="key key-pages" /> {plural(read.pages, ...live.page)}
              </span>
              <span>
                <i class="key key-api" /> {plural(read.api_calls, ...live.call)}
              </span>
            </>
          )}
          <span>
            <i class="key key-begun" /> {plural(begun[index]!, ...live.begun)}
          </span>
        </p>
      </div>
      <Chart bars={bars} begun={begun} hasRequests={hasRequests} onPoint={point} />
      <div class="axis" aria-hidden="true">
        {[0, 15, 30, 45].map((at) => (
          <span key={at}>{hourMinute(bars[at]!.minute, zone)}</span>
        ))}
        <span>{live.now}</span>
      </div>
      <MinuteTable bars={bars} begun={begun} hasRequests={hasRequests} zone={zone} />
    </section>
  );
}

interface ChartProps extends Omit<Props, "zone"> {
  readonly onPoint: (index: number | null) => void;
}

function Chart({ bars, begun, hasRequests, onPoint }: ChartProps) {
  const top = ceiling(Math.max(...begun, ...(hasRequests ? bars.map(total) : [])));
  const step = WIDTH / bars.length;
  const at = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * bars.length);
    onPoint(Math.min(Math.max(index, 0), bars.length - 1));
  };
  return (
    <div class="chart">
      <span class="chart-top" aria-hidden="true">
        {count(top)}
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary(bars, begun, hasRequests)}
        onPointerMove={at}
        onPointerLeave={() => onPoint(null)}
      >
        <path
          class="grid"
          d={`M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`}
        />
        {hasRequests &&
          bars.map((bar, index) => (
            <Bar key={bar.minute} x={index * step} width={step - GAP} bar={bar} top={top} />
          ))}
        <Line path={steps(begun, top)} />
      </svg>
    </div>
  );
}

/** A step for each minute, as high as the sessions that began in it. */
function steps(begun: readonly number[], top: number): string {
  const step = WIDTH / begun.length;
  return begun
    .map((value, index) => {
      const y = (HEIGHT - 1 - (value / top) * (HEIGHT - 2)).toFixed(1);
      return `${index ? "L" : "M"}${index * step} ${y}H${(index + 1) * step - GAP}`;
    })
    .join("");
}

const Line = memo(function Line({ path }: { readonly path: string }) {
  return <path class="line-begun" d={path} />;
});

interface BarProps {
  readonly x: number;
  readonly width: number;
  readonly bar: MinuteCount;
  readonly top: number;
}

const Bar = memo(function Bar({ x, width, bar, top }: BarProps) {
  const pages = (bar.pages / top) * HEIGHT;
  const calls = (bar.api_calls / top) * HEIGHT;
  return (
    <g>
      <rect class="bar-pages" x={x} width={width} y={HEIGHT - pages} height={pages} />
      <rect class="bar-api" x={x} width={width} y={HEIGHT - pages - calls} height={calls} />
    </g>
  );
});

function total(bar: MinuteCount): number {
  return bar.pages + bar.api_calls;
}

function summary(
  bars: readonly MinuteCount[],
  begun: readonly number[],
  hasRequests: boolean,
): string {
  const { live } = t();
  const sessions = plural(sum(begun), ...live.begun);
  if (!hasRequests) return live.hourFiltered(sessions, count(Math.max(...begun)));
  const totals = bars.map(total);
  return live.hour(plural(sum(totals), ...live.request), count(Math.max(...totals)), sessions);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
