// Keys that work anywhere on the page.
export interface KeyActions {
  readonly search: () => void;
  readonly move: (step: 1 | -1) => void;
  readonly pause: () => void;
  readonly help: () => void;
}

export function listenToKeys(actions: KeyActions): void {
  const keys: Readonly<Record<string, () => void>> = {
    "/": actions.search,
    j: () => actions.move(1),
    k: () => actions.move(-1),
    " ": actions.pause,
    "?": actions.help,
  };
  document.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    if (belongsToTarget(event)) return;
    event.preventDefault();
    action();
  });
}

/** Text fields keep every key; buttons and choices keep Space, which presses them. */
function belongsToTarget(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches("input, textarea, select")) return true;
  return event.key === " " && target.closest("button, summary, dialog") !== null;
}
