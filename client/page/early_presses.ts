// Notes clicks and keys that fall on an island before it has started, and does them again when it
// has. Comes before the rest of the page's scripts and imports nothing of theirs. Text typed early
// stays in its box, where its component finds it.

declare global {
  /**
   * Replays presses from before their islands started, in their order, as far as their islands have
   * started.
   */
  var replayEarlyPresses: (() => void) | undefined;
}

const presses: { target: HTMLElement; event: Event }[] = [];
const ROW = "tr[data-pid]",
  CONTROL = "button, input:is([type=checkbox], [type=radio])",
  FIELD = "select, textarea, input:not([type=checkbox], [type=radio])";
/** Keys of the page, and those of a row. */
const PAGE_KEY = /^([/?]|Delete)$/, ROW_KEY = /^([ eE]|Enter|Arrow(Up|Down))$/;

/**
 * Whether an element has no listener yet; for the page itself, as long as any island has to start.
 */
function isEarly(on: Element): boolean {
  const island = on.closest<HTMLElement>("[data-island]");
  if (island !== null) return island.dataset.hydrated === undefined;
  return document.querySelector("[data-island][data-when=load]:not([data-hydrated])") !== null;
}

for (const type of ["click", "dblclick", "keydown"] as const) {
  document.addEventListener(type, (event) => {
    const on = event.target as HTMLElement,
      isKey = event instanceof KeyboardEvent,
      { shiftKey } = event;
    const target = isKey ? on : on.closest<HTMLElement>(`${CONTROL}, ${ROW}`);
    if (!target || !isEarly(target) || event.ctrlKey || event.altKey || event.metaKey) return;
    const init = { bubbles: true, cancelable: true, shiftKey };
    if (isKey) {
      const { key, code, repeat } = event;
      if (repeat || on.matches(FIELD)) return;
      if (!PAGE_KEY.test(key) && !(on.matches(ROW) && (ROW_KEY.test(key) || code === "KeyE"))) {
        return;
      }
      event.preventDefault();
      // typed text goes into it
      if (key === "/") return document.querySelector<HTMLElement>("[role=search] input")?.focus();
      return void presses.push({ target, event: new KeyboardEvent(type, { ...init, key, code }) });
    }
    event.preventDefault();
    // a second click is impatience, and a second button may open another dialog upon the first
    const isSecond = type === "click" &&
      presses.some(({ target: before, event: { type } }) =>
        type === "click" &&
        (before === target || before.matches("button") && target.matches("button"))
      );
    if (!isSecond) presses.push({ target, event: new MouseEvent(type, init) });
  }, true);
}

globalThis.replayEarlyPresses = () => {
  const [press] = presses;
  if (!press || isEarly(press.target)) return;
  presses.shift();
  // the keys before may have gone to another row
  const isRowKey = press.event.type === "keydown" && press.target.matches(ROW);
  const focusedRow = isRowKey ? document.activeElement?.closest(ROW) : null;
  (focusedRow ?? press.target).dispatchEvent(press.event);
  // drawn before the next
  setTimeout(globalThis.replayEarlyPresses!);
};
