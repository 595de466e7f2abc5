// The rows of the list as elements: only those near the screen are in the document.

/** Gives the row the focus; scrolls to its place first when it is not in the document. */
export function focusRow(id: string, index: number): void {
  const link = linkOf(id);
  if (link) return link.focus();
  const row = document.querySelector<HTMLElement>("[data-session]");
  const body = row?.parentElement;
  if (!row || !body) return;
  const top = body.getBoundingClientRect().top + index * row.offsetHeight;
  scrollBy({ top: top - innerHeight / 2, behavior: "instant" });
  // Drawn after the scroll event of the next frame.
  requestAnimationFrame(() => requestAnimationFrame(() => linkOf(id)?.focus()));
}

function linkOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
}
