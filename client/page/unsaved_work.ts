/** Registry of the parts of the page with unsaved work, and checks before that work is lost. */
const unsaved = new Set<symbol>(), checks = new Set<() => boolean>();
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** Whether leaving the page would lose unsaved work. */
export const hasUnsavedWork = (): boolean =>
  unsaved.size > 0 || [...checks].some((check) => check());

/** Whether a form of the page has unsaved changes. */
export const hasUnsavedForm = (): boolean => unsaved.size > 0;

/**
 * Registers a form with unsaved changes: the browser asks before the user leaves the page.
 * The returned function ends that registration when the changes were saved or discarded.
 */
export function keepUnsaved(): () => void {
  const part = Symbol();
  unsaved.add(part);
  addEventListener("beforeunload", askFirst);
  return () => {
    unsaved.delete(part);
    if (unsaved.size === 0) removeEventListener("beforeunload", askFirst);
  };
}

/**
 * Adds a check for work that the user may abandon, such as a quick measurement, but that no other
 * application may discard. The returned function removes the check.
 */
export function checkUnsaved(check: () => boolean): () => void {
  checks.add(check);
  return () => void checks.delete(check);
}

/** Time after which the browser asks again on a page that the user did not leave, ms. */
const LEAVE_MS = 5000;

/** Lets the user leave the page without another question, after the user has confirmed leaving. */
export function discardUnsaved(): void {
  removeEventListener("beforeunload", askFirst);
  setTimeout(() => unsaved.size > 0 && addEventListener("beforeunload", askFirst), LEAVE_MS);
}
