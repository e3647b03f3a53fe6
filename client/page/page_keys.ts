/**
 * Whether a key is meant for the page: not typed into a field, not in a dialog, not with Ctrl, Alt
 * or Meta.
 */
function isForPage(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return false;
  if (document.querySelector("dialog[open]")) return false;
  const { target } = event;
  return !(target instanceof HTMLElement) ||
    !target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
}

/** Calls the action of a key, wherever the focus is on the page; the returned function ends it. */
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
