import type { ViewerSession } from "@/viewer/session/session.ts";
import {
  acrossAxis,
  downAxis,
  type Plane,
  PLANES,
  VIEWER_TYPES,
  zoomPane,
} from "@/viewer/scene.ts";

const ZOOM_STEP = 1.2;
const OPACITY_STEP = 5;
const MANY_SLICES = 10;

/**
 * Whether the focused control uses a key:
 * a text field uses all keys, a slider the keys that move the slider.
 */
function isHandledElsewhere({ target, key }: KeyboardEvent): boolean {
  const field = target instanceof HTMLElement &&
    target.closest("input, select, textarea, [contenteditable]");
  if (!field) return false;
  const isSlider = field instanceof HTMLInputElement && field.type === "range";
  return !isSlider || /^(Arrow|Page|Home|End)/.test(key);
}

const isOnSurface = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest("[data-testid=surface-view]") !== null;

/** Handles keys for the focused pane. @returns true if the key has an action. */
function paneKey(event: KeyboardEvent, plane: Plane, session: ViewerSession): boolean {
  const mm = event.shiftKey ? 10 : 1;
  const across = acrossAxis(plane, session.scene.convention), down = downAxis(plane);
  switch (event.key) {
    case "ArrowRight":
      session.nudge(across.ras, across.sign * mm);
      return true;
    case "ArrowLeft":
      session.nudge(across.ras, -across.sign * mm);
      return true;
    case "ArrowDown":
      session.nudge(down.ras, down.sign * mm);
      return true;
    case "ArrowUp":
      session.nudge(down.ras, -down.sign * mm);
      return true;
    case "PageUp":
      session.scroll(plane, event.shiftKey ? MANY_SLICES : 1);
      return true;
    case "PageDown":
      session.scroll(plane, event.shiftKey ? -MANY_SLICES : -1);
      return true;
  }
  return false;
}

function zoomActive(session: ViewerSession, factor: number): void {
  const { renderer } = session, plane = session.activePane.value;
  if (!renderer) return;
  const mapping = renderer.mapping(plane);
  zoomPane(session.scene, mapping, factor, mapping.width / 2, mapping.height / 2);
  session.viewChanged(plane);
}

/** Handles keys for the whole viewer. @returns true if the key has an action. */
function viewerKey(event: KeyboardEvent, session: ViewerSession): boolean {
  switch (event.key) {
    case "+":
    case "=":
      zoomActive(session, ZOOM_STEP);
      return true;
    case "-":
    case "_":
      zoomActive(session, 1 / ZOOM_STEP);
      return true;
    case ",":
    case ".": {
      const { opacityPercent } = session.overlays[session.type.value];
      session.setOpacity(opacityPercent.value + (event.key === "." ? OPACITY_STEP : -OPACITY_STEP));
      return true;
    }
    case "[":
    case "]":
      session.isPanelOpen.value = event.key === "[";
      return true;
    case "1":
    case "2":
    case "3":
      session.open(VIEWER_TYPES[Number(event.key) - 1]!);
      return true;
    case "?":
      session.isHelpOpen.value = !session.isHelpOpen.value;
      return true;
    case "Escape":
      if (session.isHelpOpen.value) session.isHelpOpen.value = false;
      else if (session.fullPane.value) session.fullPane.value = null;
      else if (session.type.value === "wmh" && session.isWmhOnly.value) {
        session.isWmhOnly.value = false;
      } else return false;
      return true;
  }
  switch (event.key.toLowerCase()) {
    case "o":
      session.toggleOverlay();
      return true;
    case "x":
      session.isCrosshairVisible.value = !session.isCrosshairVisible.value;
      return true;
    case "r":
      session.reset();
      return true;
    case "f":
      session.zoom(isOnSurface(event) ? "surface" : session.activePane.value);
      return true;
  }
  return false;
}

/** Keyboard control of the whole viewer; each pane's element has the plane in `data-plane`. */
export function listenToKeys(root: HTMLElement, session: ViewerSession): () => void {
  const stop = new AbortController();
  root.ownerDocument.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !session.renderer) return;
    if (isHandledElsewhere(event)) return;
    const target = event.target as Element | null;
    const planeName = target?.closest<HTMLElement>("[data-plane]")?.dataset.plane;
    const plane = PLANES.find((each) => each === planeName);
    // if no pane or list has the focus, arrow keys control the last used pane
    const isFree = target === null || target === document.body || target === root;
    const driven = plane ?? (isFree ? session.activePane.value : null);
    if ((driven && paneKey(event, driven, session)) || viewerKey(event, session)) {
      event.preventDefault();
    }
  }, { signal: stop.signal });
  return () => stop.abort();
}
