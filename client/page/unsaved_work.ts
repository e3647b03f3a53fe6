/** Parts of the page with work that is not saved, and checks for such work. */
const unsaved = new Set<symbol>(), checks = new Set<() => boolean>();
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** Whether a part of the page has work that would be lost with the page. */
export const hasUnsavedWork = (): boolean =>
  unsaved.size > 0 || [...checks].some((check) => check());

/** Whether a form of the page has unsaved changes. */
export const hasUnsavedForm = (): boolean => unsaved.size > 0;

/**
 * Registers a form with unsaved changes: the browser asks before the user leaves the page.
 * The returned function is called when the changes have been saved or discarded.
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
 * Adds a check for work that a reader may abandon, such as a quick measurement, but that no other
 * application may discard. The returned function removes the check.
 */
export function checkUnsaved(check: () => boolean): () => void {
  checks.add(check);
  return () => void checks.delete(check);
}

/** Time after which the browser asks again on a page that the user did not leave, ms. */
const LEAVE_MS = 5000;

/** Lets the user leave the page without another question, because the user has confirmed it. */
export function discardUnsaved(): void {
  removeEventListener("beforeunload", askFirst);
  setTimeout(() => unsaved.size > 0 && addEventListener("beforeunload", askFirst), LEAVE_MS);
}
