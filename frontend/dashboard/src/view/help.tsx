import { Modal } from "./drawer";
import { Icon } from "./icons";
import { t } from "../core/language";

export function Help({ onClose }: { readonly onClose: () => void }) {
  const { header, help } = t();
  return (
    <Modal class="help" label={header.shortcuts} onClose={onClose}>
      <header class="drawer-head">
        <h2 tabIndex={-1} autofocus>
          {header.shortcuts}
        </h2>
        <button type="button" class="tool" aria-label={header.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <dl class="keys">
        {help.keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{help.note}</p>
    </Modal>
  );
}
