// Which part of a long list is on the screen.
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { windowOf } from "../core/slice";

const NARROW = "(max-width: 899px)";
/** As `styles/list.css` has them. */
const ROW_PX = 52;
const NARROW_ROW_PX = 122;
const SPARE_ROWS = 6;

interface Window {
  readonly first: number;
  readonly count: number;
  /** Of a row, in px. */
  readonly height: number;
}

function rowHeight(): number {
  return matchMedia(NARROW).matches ? NARROW_ROW_PX : ROW_PX;
}

/** Follows scrolling and resizing; `length` is how many rows there are. */
export function useWindow(list: RefObject<HTMLElement | null>, length: number): Window {
  const [seen, see] = useState<Window>({ first: 0, count: 40, height: rowHeight() });
  useLayoutEffect(() => {
    const measure = () => {
      const height = rowHeight();
      const above = -(list.current?.getBoundingClientRect().top ?? 0);
      const next = { ...windowOf(above, innerHeight, height, SPARE_ROWS), height };
      see((last) => (isSame(last, next) ? last : next));
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [length]);
  return seen;
}

function isSame(a: Window, b: Window): boolean {
  return a.first === b.first && a.count === b.count && a.height === b.height;
}
