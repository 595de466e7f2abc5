// Presses on values that can be filtered by, wherever on the page they stand.
import { FILTER_NAMES, opposite, type FilterName } from "../core/filters";

/** `value` has a "!" in front when it is to be left out. */
export type OnValue = (name: FilterName, value: string) => void;

export function listenToValues(choose: OnValue): void {
  document.addEventListener("click", (event) => {
    const value = valueAt(event.target);
    if (!value) return;
    event.preventDefault();
    choose(value.name, event.altKey ? opposite(value.name, value.text) : value.text);
  });
  // Browsers keep Alt + Enter for themselves or press the button without its Alt.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.altKey) return;
    const value = valueAt(event.target);
    if (!value) return;
    event.preventDefault();
    choose(value.name, opposite(value.name, value.text));
  });
}

function valueAt(target: EventTarget | null): { name: FilterName; text: string } | null {
  const element = target instanceof Element ? target.closest("[data-filter]") : null;
  if (!(element instanceof HTMLElement || element instanceof SVGElement)) return null;
  const name = FILTER_NAMES.find((each) => each === element.dataset["filter"]);
  return name ? { name, text: element.dataset["value"] ?? "" } : null;
}
