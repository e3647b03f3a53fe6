/** A click on a control of an island that had not started yet; client/note_early_clicks.ts notes the first. */
export interface EarlyClick {
  control: HTMLElement;
  /** ms of the page's clock */
  at: number;
}

declare global {
  var earlyClick: EarlyClick | undefined;
}

/** After this nobody waits for it any more. */
const FORGOTTEN_MS = 10_000;

/** Does what was clicked in an island before it started. */
export function replayEarlyClick(island: Element): void {
  const click = globalThis.earlyClick;
  if (!click || !island.contains(click.control)) return;
  globalThis.earlyClick = undefined;
  if (performance.now() - click.at > FORGOTTEN_MS) return;
  // React takes over what an event falls on; a box must be its own before the click checks it
  click.control.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
  click.control.click();
}
