import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  /** What the button says. */
  readonly label: ComponentChildren;
  readonly class?: string;
  readonly isPressed?: boolean;
  /** What it opens; `close` gives the focus back to the button. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a panel below it; Escape, or a press elsewhere, closes it. */
export function Disclosure({ label, class: name = "", isPressed, children }: Props) {
  const [isOpen, open] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const close = () => {
    open(false);
    root.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: Event) => root.current!.contains(event.target as Node) || open(false);
    document.addEventListener("pointerdown", leave);
    document.addEventListener("focusin", leave);
    return () => {
      document.removeEventListener("pointerdown", leave);
      document.removeEventListener("focusin", leave);
    };
  }, [isOpen]);
  return (
    <div
      ref={root}
      class={`disclosure ${name}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        close();
      }}
    >
      <button
        type="button"
        class="tool"
        aria-expanded={isOpen}
        aria-pressed={isPressed}
        onClick={() => open(!isOpen)}
      >
        {label}
      </button>
      {isOpen && <div class="disclosed">{children(close)}</div>}
    </div>
  );
}
