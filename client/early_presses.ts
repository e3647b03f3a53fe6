// Notes what is pressed and typed before anybody hears it, and does it again when the islands have started. Comes before
// the rest of the page's scripts, and imports nothing of theirs.

interface EarlyPress {
  target: HTMLElement;
  /** the event to be dispatched again */
  again: () => Event;
  /** ms of the page's clock */
  at: number;
}

/** A field; React keeps beside it which text it has heard of. */
type Field = HTMLInputElement & { _valueTracker?: { setValue(text: string): void } };

declare global {
  /** Does what was pressed before its island started, in the order of the presses, as far as their islands have. */
  var replayEarlyPresses: (() => void) | undefined;
}

const presses: EarlyPress[] = [];
/** After this nobody waits for it any more. */
const FORGOTTEN_MS = 10_000;

const BOX = "input:is([type=checkbox], [type=radio])", ROW = "tr[data-pid]";
const CONTROL = `button, ${BOX}`, FIELD = `select, textarea, input:not([type=checkbox], [type=radio])`;
/** Keys of the page, and those of a row. */
const PAGE_KEY = /^([/?]|Delete)$/, ROW_KEY = /^([ eE]|Enter|Arrow(Up|Down))$/;

/** Whether nobody hears yet what falls on an element; on the page itself, as long as anything of it has to start. */
const isEarly = (on: Element): boolean => {
  const island = on.closest<HTMLElement>("[data-island]");
  return island === null
    ? document.querySelector("[data-island][data-when=load]:not([data-hydrated])") !== null
    : island.dataset.hydrated === undefined;
};

const note = (target: HTMLElement, again: () => Event): void =>
  void presses.push({ target, again, at: performance.now() });

document.addEventListener("click", (event) => {
  const target = event.target as Element;
  if (!target.closest("[data-island]") || !isEarly(target) || target.closest("a[href]")) return;
  const control = target.closest<HTMLElement>(`${CONTROL}, ${ROW}`);
  if (!control) return;
  // the box is checked, and the form sent, when somebody notices
  event.preventDefault();
  const { shiftKey } = event;
  // a second click is impatience, and a second button may open another dialog upon the first
  const isButton = control.matches("button"), last = presses.at(-1)?.target;
  if (last !== control && !(isButton && presses.some(({ target }) => target.matches("button")))) {
    note(control, () => new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey }));
  }
}, true);

document.addEventListener("dblclick", ({ target }) => {
  const row = (target as Element).closest<HTMLElement>(ROW);
  if (row && isEarly(row) && !(target as Element).closest(CONTROL)) {
    note(row, () => new MouseEvent("dblclick", { bubbles: true }));
  }
}, true);

document.addEventListener("keydown", (event) => {
  const target = event.target as HTMLElement, { key, code, shiftKey } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (target.matches(FIELD) || !isEarly(target)) return;
  if (!PAGE_KEY.test(key) && !(target.matches(ROW) && (ROW_KEY.test(key) || code === "KeyE"))) return;
  event.preventDefault();
  const search = key === "/" && document.querySelector<HTMLElement>("[role=search] input");
  // what is typed next belongs in it
  if (search) return search.focus();
  note(target, () => new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true }));
}, true);

document.addEventListener("input", (event) => {
  const field = event.target as Field, { value } = field;
  if (!field.matches(FIELD) || !isEarly(field)) return;
  const isChoice = field.matches("select");
  const again = () => {
    if (isChoice) field.value = value;
    // React hears of what is another text than it knows; the text itself, which may be half a syllable, is not touched
    else field._valueTracker?.setValue("");
    return new Event(isChoice ? "change" : "input", { bubbles: true });
  };
  const before = presses.find(({ target }) => target === field);
  if (before) before.again = again;
  else note(field, again);
}, true);

globalThis.replayEarlyPresses = () => {
  const [press] = presses;
  if (!press || isEarly(press.target)) return;
  presses.shift();
  if (performance.now() - press.at < FORGOTTEN_MS) {
    const event = press.again(), row = document.activeElement;
    // the keys before may have gone to another row
    const to = event.type === "keydown" && press.target.matches(ROW) && row?.matches(ROW)
      ? row
      : press.target;
    // React takes over what an event falls on; a box must be its own before the click checks it
    if (event.type === "click") to.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
    to.dispatchEvent(event);
  }
  // drawn before the next
  setTimeout(globalThis.replayEarlyPresses!);
};
