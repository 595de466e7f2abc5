// Where a Sankey diagram of paths draws its bars and bands. Pure: numbers in, numbers out.
import type { PathsAnswer } from "./explore_answers";

export interface Bar {
  /** The step, from 0; columns are drawn from the left, or from the right for what came before. */
  readonly number: number;
  readonly kind: "page" | "others" | "ended";
  readonly path: string;
  readonly sessions: number;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Band {
  readonly key: string;
  readonly isEnd: boolean;
  readonly sessions: number;
  readonly source: string;
  readonly target: string | null;
  readonly path: string;
  readonly width: number;
}

export interface Diagram {
  readonly width: number;
  readonly height: number;
  /** From one column to the next. */
  readonly column: number;
  readonly bars: readonly Bar[];
  readonly bands: readonly Band[];
}

export const BAR_WIDTH = 10;
const ROOM = 1300;
const NARROWEST = 190;
const WIDEST = 330;
const GAP = 26;
const TOP = 18;
const TALL = 260;
const THINNEST = 2;

/** A diagram in pixels. Heights are in proportion to sessions, but never too thin to see. */
export function sankey(answer: PathsAnswer): Diagram {
  const scale = answer.sessions > 0 ? TALL / answer.sessions : 0;
  const steps = answer.steps.filter((step) => step.pages.length > 0 || step.ended > 0);
  const last = steps.length - 1;
  const column = Math.min(WIDEST, Math.max(NARROWEST, Math.floor(ROOM / steps.length)));
  const isBack = answer.direction === "previous";
  const bars = steps.flatMap((step) => {
    const x = (isBack ? last - step.number : step.number) * column;
    return stacked(parts(step), x, step.number, scale);
  });
  const bottom = Math.max(0, ...bars.map((bar) => bar.y + bar.height));
  return {
    width: steps.length * column,
    height: bottom + GAP,
    column,
    bars,
    bands: bandsBetween(bars, answer, scale),
  };
}

type Part = Pick<Bar, "kind" | "path" | "sessions">;

function parts(step: PathsAnswer["steps"][number]): Part[] {
  const pages = step.pages.map((page): Part => ({ kind: "page", ...page }));
  const rest: Part[] = [
    { kind: "others", path: "", sessions: step.others },
    { kind: "ended", path: "", sessions: step.number === 0 ? 0 : step.ended },
  ];
  return [...pages, ...rest.filter((part) => part.sessions > 0)];
}

function stacked(found: readonly Part[], x: number, number: number, scale: number): Bar[] {
  let y = TOP;
  return found.map((part) => {
    const height = Math.max(THINNEST, part.sessions * scale);
    const bar = { ...part, number, x, y, height };
    y += height + GAP;
    return bar;
  });
}

/** Bands leave and reach a bar one below the other, in the order of the answer. */
function bandsBetween(bars: readonly Bar[], answer: PathsAnswer, scale: number): Band[] {
  const used = new Map<Bar, { out: number; in: number }>();
  const places = (bar: Bar) => {
    const known = used.get(bar) ?? { out: 0, in: 0 };
    used.set(bar, known);
    return known;
  };
  const isBack = answer.direction === "previous";
  return answer.links.flatMap((link) => {
    const near = bars.find((bar) => isPage(bar, link.number, link.source));
    const far = bars.find((bar) =>
      link.target === null
        ? bar.kind === "ended" && bar.number === link.number + 1
        : isPage(bar, link.number + 1, link.target),
    );
    if (!near || !far) return [];
    const width = Math.max(1, link.sessions * scale);
    const from = near.y + places(near).out + width / 2;
    const to = far.y + places(far).in + width / 2;
    places(near).out += width;
    places(far).in += width;
    const band = {
      key: `${link.number} ${link.source} ${link.target ?? ""}`,
      isEnd: link.target === null,
      sessions: link.sessions,
      source: link.source,
      target: link.target,
      width,
    };
    return [
      {
        ...band,
        path: isBack
          ? curve(far.x + BAR_WIDTH, to, near.x, from)
          : curve(near.x + BAR_WIDTH, from, far.x, to),
      },
    ];
  });
}

function isPage(bar: Bar, number: number, path: string): boolean {
  return bar.kind === "page" && bar.number === number && bar.path === path;
}

function curve(x1: number, y1: number, x2: number, y2: number): string {
  const middle = (x1 + x2) / 2;
  return `M${x1} ${round(y1)}C${middle} ${round(y1)} ${middle} ${round(y2)} ${x2} ${round(y2)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A path that fits: its beginning and its end, which tell more than its middle. */
export function shortened(path: string, most: number): string {
  const letters = [...path];
  if (letters.length <= most) return path;
  const head = Math.ceil((most - 1) * 0.6);
  return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (most - 1 - head)).join("")}`;
}
