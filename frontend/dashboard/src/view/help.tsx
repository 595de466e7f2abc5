import { Modal } from "./drawer";
import { Icon } from "./icons";

const KEYS: readonly (readonly [string, string])[] = [
  ["/", "Filter by page"],
  ["j", "Next session"],
  ["k", "Previous session"],
  ["Enter", "Open the session in focus"],
  ["Escape", "Close"],
  ["Space", "Pause or resume"],
  ["?", "This help"],
];

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal class="help" label="Keyboard shortcuts" onClose={onClose}>
      <header class="drawer-head">
        <h2 tabIndex={-1} autofocus>
          Keyboard shortcuts
        </h2>
        <button type="button" class="tool" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <dl class="keys">
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        The row under the pointer or in focus never moves. A session ends after 30 minutes without a
        request, unless the installation says otherwise.
      </p>
    </Modal>
  );
}
