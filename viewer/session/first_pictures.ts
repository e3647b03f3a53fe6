import { effect } from "@preact/signals-react";
import { ROOM_COOKIE, roomText } from "@/model/viewer/first_picture.ts";
import { viewOf } from "@/viewer/session/address.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";

/** Input events that may change a pane. */
const INPUTS = ["pointerdown", "wheel", "keydown"] as const;

/**
 * Removes the server-rendered pictures as soon as the panes must show something else:
 * the view differs, the user acts, or images are unavailable.
 * The session removes the picture of a pane that has rendered.
 * @returns a function that stops watching for these events.
 */
export function followPictures(session: ViewerSession): () => void {
  const abort = new AbortController(), uncover = () => session.uncover();
  for (const name of INPUTS) {
    addEventListener(name, uncover, { capture: true, passive: true, signal: abort.signal });
  }
  addEventListener("resize", uncover, { signal: abort.signal });
  const state = () =>
    JSON.stringify([
      viewOf(session),
      session.isOutlined.value,
      session.compareLayout.value,
      session.isPanelOpen.value,
    ]);
  const start = state();
  const stop = effect(() => {
    if (state() !== start || session.loading.value.kind === "failed") uncover();
  });
  return () => {
    abort.abort();
    stop();
  };
}

/**
 * Stores the current size of the panes, also when the user leaves the page. The server renders
 * the pictures of the next page in this size. @returns a function that stops the storing.
 */
export function keepRoom(panes: Element): () => void {
  const aside = innerWidth - panes.clientWidth, above = innerHeight - panes.clientHeight;
  const keep = () => {
    const room = {
      width: innerWidth - aside,
      height: innerHeight - above,
      ratio: devicePixelRatio,
    };
    document.cookie = `${ROOM_COOKIE}=${roomText(room)}; path=/viewer; samesite=strict`;
  };
  keep();
  addEventListener("pagehide", keep);
  return () => removeEventListener("pagehide", keep);
}
