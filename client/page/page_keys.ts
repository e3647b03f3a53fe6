/**
 * Whether a key press is a shortcut of the page:
 * not in an input field or dialog, and without Ctrl, Alt or Meta.
 */
function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return false;
  if (document.querySelector("dialog[open]")) return false;
  const { target } = event;
  return !(target instanceof HTMLElement) ||
    !target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
}

/** Registers keyboard shortcuts for the whole page; the returned function removes them. */
export function onPageKeys(actions: Readonly<Record<string, () => void>>): () => void {
  const listen = (event: KeyboardEvent) => {
    const action = actions[event.key];
    if (action === undefined || !isForPage(event)) return;
    event.preventDefault();
    action();
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}
