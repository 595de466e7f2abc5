// When the page is drawn: at once for the reader, four times a second at most for data.

const FRAME_MS = 250;

export class Renderer {
  private last = -Infinity;
  private timer = 0;
  private isQueued = false;

  constructor(private readonly paint: () => void) {}

  /** The reader did something. */
  now(): void {
    if (this.isQueued) return;
    this.isQueued = true;
    queueMicrotask(() => this.draw());
  }

  /** Data came: draw now if the last frame is long enough ago, else when it is. */
  soon(): void {
    if (this.isQueued || this.timer) return;
    const wait = Math.max(0, this.last + FRAME_MS - performance.now());
    this.timer = window.setTimeout(() => this.draw(), wait);
  }

  private draw(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.isQueued = false;
    this.last = performance.now();
    keepingFocus(this.paint);
  }
}

/** A row that comes to stand in another element takes the focus with it. */
function keepingFocus(paint: () => void): void {
  const id = rowInFocus();
  paint();
  if (id === null || rowInFocus() === id) return;
  const link = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
  link?.focus({ preventScroll: true });
}

function rowInFocus(): string | null {
  const active = document.activeElement;
  return active instanceof HTMLElement ? (active.dataset["row"] ?? null) : null;
}

/** Calls back once what was drawn is on screen. Never in a hidden tab: nothing is seen there. */
export function afterPaint(callback: () => void): void {
  if (document.hidden) return;
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = callback;
    channel.port2.postMessage(null);
  });
}
