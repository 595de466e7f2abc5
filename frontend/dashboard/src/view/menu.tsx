import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  readonly class?: string;
  /** What a listener hears of the button, where its text does not say enough. */
  readonly label?: string;
  readonly title?: string;
  readonly testId?: string;
  readonly summary: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A button that opens a small panel; Escape or a press elsewhere closes it. */
export function Menu({ class: name = "", label, title, testId, summary, children }: Props) {
  const details = useRef<HTMLDetailsElement>(null);
  const [isOpen, show] = useState(false);
  useEffect(() => {
    const closeOutside = (event: Event) => {
      if (!details.current?.contains(event.target as Node)) details.current!.open = false;
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, []);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !details.current?.open) return;
    details.current.open = false;
    details.current.querySelector("summary")?.focus();
  };
  return (
    <details
      ref={details}
      class={`menu ${name}`}
      onKeyDown={closeOnEscape}
      onToggle={(event) => show(event.currentTarget.open)}
    >
      <summary class="tool" aria-label={label} title={title} data-testid={testId}>
        {summary}
      </summary>
      {isOpen && <div class="menu-panel">{children}</div>}
    </details>
  );
}
