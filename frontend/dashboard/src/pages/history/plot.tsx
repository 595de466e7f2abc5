import { areaPath, bucketAt, linePath, scaleOf, xOf, yOf, type Area } from "../../core/chart";
import { measured, UNITS, type Measure } from "../../core/measures";

export const PLOT_HEIGHT = 220;
/** Room for the highest tick's number and for pins. */
const ABOVE = 16;

interface Props {
  readonly area: Area;
  readonly values: readonly (number | null)[];
  readonly before: readonly (number | null)[] | null;
  readonly measure: Measure;
  /** The bucket that is not over yet; -1 without one. */
  readonly unfinished: number;
  readonly pinned: ReadonlySet<number>;
  readonly pointed: number | null;
  readonly onPoint: (index: number | null) => void;
}

/** The lines. All that they say is said by the slider around them, and in the table. */
export function Plot(props: Props) {
  const { area, values, before, measure, unfinished, pinned, pointed, onPoint } = props;
  const scale = scaleOf([...values, ...(before ?? [])], UNITS[measure]);
  const finished = values.map((value, index) => (index === unfinished ? null : value));
  const rest = values.map((value, index) =>
    unfinished >= 0 && (index === unfinished || index === unfinished - 1) ? value : null,
  );
  const at = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    onPoint(bucketAt(event.clientX - box.left, values.length, { ...area, width: box.width }));
  };
  return (
    <svg
      width={area.width}
      height={area.height + ABOVE + 1}
      viewBox={`0 ${-ABOVE} ${area.width} ${area.height + ABOVE + 1}`}
      aria-hidden="true"
      onPointerMove={at}
      onPointerDown={at}
      onPointerLeave={() => onPoint(null)}
    >
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <path class="grid" d={`M0 ${yOf(tick, scale, area)}H${area.width}`} />
          {tick > 0 && (
            <text class="plot-tick" x="0" y={yOf(tick, scale, area) - 4}>
              {measured(tick, measure)}
            </text>
          )}
        </g>
      ))}
      {[...pinned].map((index) => (
        <Pin key={index} x={xOf(index, values.length, area)} height={area.height} />
      ))}
      <path class="plot-area" d={areaPath(finished, scale, area)} />
      {before && <path class="plot-before" d={linePath(before, scale, area)} />}
      <path class="plot-line" d={linePath(finished, scale, area)} />
      <path class="plot-line is-unfinished" d={linePath(rest, scale, area)} />
      {values.length <= 40 &&
        values.map((value, index) =>
          value === null ? null : (
            <circle
              key={index}
              class="plot-dot"
              cx={xOf(index, values.length, area)}
              cy={yOf(value, scale, area)}
              r="2.5"
            />
          ),
        )}
      {pointed !== null && (
        <Pointer
          x={xOf(pointed, values.length, area)}
          height={area.height}
          y={places(pointed, [values, before ?? []]).map((value) => yOf(value, scale, area))}
        />
      )}
    </svg>
  );
}

function places(index: number, lines: readonly (readonly (number | null)[])[]): number[] {
  return lines.flatMap((line) => line[index] ?? []);
}

function Pin({ x, height }: { readonly x: number; readonly height: number }) {
  return (
    <g class="plot-pin">
      <path d={`M${x} -4V${height}`} />
      <circle cx={x} cy="-7" r="4" />
    </g>
  );
}

interface PointerProps {
  readonly x: number;
  readonly height: number;
  readonly y: readonly number[];
}

function Pointer({ x, height, y }: PointerProps) {
  return (
    <g class="plot-pointer">
      <path d={`M${x} 0V${height}`} />
      {y.map((each, index) => (
        <circle key={index} class={index > 0 ? "is-before" : ""} cx={x} cy={each} r="4.5" />
      ))}
    </g>
  );
}
