import { useState } from "preact/hooks";
import { Icon } from "./icons";
import { t } from "../core/language";

const SHOWN_MS = 2_000;

/** Copies the address, which shows the same to whoever may look at this dashboard. */
export function ShareButton() {
  const [outcome, tell] = useState<"copied" | "failed" | null>(null);
  const texts = t().session;
  const show = (said: "copied" | "failed") => {
    tell(said);
    window.setTimeout(() => tell(null), SHOWN_MS);
  };
  // Browsers lend the clipboard to pages on https and localhost only.
  const copy = () =>
    navigator.clipboard
      ? navigator.clipboard.writeText(location.href).then(
          () => show("copied"),
          () => show("failed"),
        )
      : show("failed");
  return (
    <button type="button" class="tool" onClick={copy}>
      <Icon name="link" />
      <span aria-live="polite">
        {outcome === null ? texts.share : outcome === "copied" ? texts.shared : texts.notShared}
      </span>
    </button>
  );
}
