import { Snippet } from "./snippet";
import { t } from "../core/language";
import type { EnrichedEvent } from "../contracts.gen";

interface ButtonProps {
  readonly event: EnrichedEvent;
  readonly isOpen: boolean;
  readonly onPress: () => void;
}

export function RawButton({ event, isOpen, onPress }: ButtonProps) {
  const { raw } = t().session;
  return (
    <button
      type="button"
      class="raw-button"
      aria-expanded={isOpen}
      aria-label={`${raw}: ${event.method} ${event.path}`}
      title={raw}
      onClick={onPress}
    >
      {"{ }"}
    </button>
  );
}

/** The event as it is stored, for who wants to know exactly. */
export function RawEvent({ event }: { readonly event: EnrichedEvent }) {
  return (
    <div class="raw">
      <Snippet text={JSON.stringify(event, null, 2)} what={t().session.rawWhat} />
    </div>
  );
}
