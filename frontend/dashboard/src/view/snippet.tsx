import { useState } from "preact/hooks";
import { t } from "../core/language";

const SHOWN_MS = 2_000;

/** Something to paste elsewhere, with a button that copies it. `what` names it to listeners. */
export function Snippet({ text, what }: { readonly text: string; readonly what: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
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
  const { copy: idle, copied, copyFailed: failed } = t().firstRun;
  const labels = { idle, copied, failed };
  return (
    <div class="snippet">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <button type="button" onClick={copy}>
        <span aria-live="polite">{labels[state]}</span>
        <span class="visually-hidden"> {what}</span>
      </button>
    </div>
  );
}
