import { useState } from "preact/hooks";

const SHOWN_MS = 2_000;
const LABELS = { idle: "Copy", copied: "Copied", failed: "Select the text and copy it" } as const;

/** Something to paste elsewhere, with a button that copies it. `what` names it to listeners. */
export function Snippet({ text, what }: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<keyof typeof LABELS>("idle");
  const show = (outcome: "copied" | "failed") => {
    setState(outcome);
    window.setTimeout(() => setState("idle"), SHOWN_MS);
  };
  // Browsers lend the clipboard to pages on https and localhost only.
  const copy = () =>
    navigator.clipboard
      ? navigator.clipboard.writeText(text).then(
          () => show("copied"),
          () => show("failed"),
        )
      : show("failed");
  return (
    <div class="snippet">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <button type="button" onClick={copy}>
        <span aria-live="polite">{LABELS[state]}</span>
        <span class="visually-hidden"> {what}</span>
      </button>
    </div>
  );
}
