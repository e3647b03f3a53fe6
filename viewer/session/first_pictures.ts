import { effect } from "@preact/signals-react";
import { ROOM_COOKIE, roomText } from "@/model/viewer/first_picture.ts";
import { viewOf } from "@/viewer/session/address.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";

/** Input that may change a pane. */
const INPUTS = ["pointerdown", "wheel", "keydown"] as const;

/**
 * Takes the pictures that came with the page away as soon as the panes are to show anything else:
 * the view is another one, the reader acts, or the images cannot be had. A pane that has drawn is
 * uncovered by the session. @returns stops it.
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
 * Keeps the room that the panes have now, and when the page is left, for the pictures of the next
 * viewer. @returns stops it.
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
