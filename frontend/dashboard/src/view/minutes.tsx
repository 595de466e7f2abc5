import { useState } from "preact/hooks";
import { count, hourMinute, plural, type Zone } from "../core/format";
import { ceiling } from "../core/minutes";
import { memo } from "./memo";
import type { MinuteCount } from "../contracts.gen";

const WIDTH = 600;
const HEIGHT = 104;
const GAP = 2;

interface Props {
  readonly bars: readonly MinuteCount[];
  readonly zone: Zone;
}

export function Minutes({ bars, zone }: Props) {
  const [pointed, point] = useState<number | null>(null);
  const read = bars[pointed ?? bars.length - 1]!;
  return (
    <section class="panel minutes" aria-labelledby="minutes-title">
      <div class="panel-head">
        <h2 id="minutes-title" class="panel-title">
          Requests per minute
        </h2>
        <p class="reading">
          <span class="reading-time">
            {pointed === null ? "this minute" : hourMinute(read.minute, zone)}
          </span>
          <span>
            <i class="key key-pages" /> {plural(read.pages, "page")}
          </span>
          <span>
            <i class="key key-api" /> {plural(read.api_calls, "API call")}
          </span>
        </p>
      </div>
      <Chart bars={bars} onPoint={point} />
      <div class="axis" aria-hidden="true">
        {[0, 15, 30, 45].map((index) => (
          <span key={index}>{hourMinute(bars[index]!.minute, zone)}</span>
        ))}
        <span>now</span>
      </div>
    </section>
  );
}

interface ChartProps {
  readonly bars: readonly MinuteCount[];
  readonly onPoint: (index: number | null) => void;
}

function Chart({ bars, onPoint }: ChartProps) {
  const top = ceiling(Math.max(...bars.map(total)));
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
        aria-label={summary(bars)}
        onPointerMove={at}
        onPointerLeave={() => onPoint(null)}
      >
        <path
          class="grid"
          d={`M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`}
        />
        {bars.map((bar, index) => (
          <Bar key={bar.minute} x={index * step} width={step - GAP} bar={bar} top={top} />
        ))}
      </svg>
    </div>
  );
}

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

function summary(bars: readonly MinuteCount[]): string {
  const all = bars.reduce((sum, bar) => sum + total(bar), 0);
  const peak = Math.max(...bars.map(total));
  return `${plural(all, "request")} in the last hour, ${count(peak)} in the busiest minute.`;
}
