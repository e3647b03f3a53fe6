import { isMeasuring, type ToolState } from "@/viewer/session/tool_state.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import {
  isOnSlice,
  isRegion,
  isWhole,
  type Measurement,
  nearestPlace,
} from "@/viewer/slices/marks/measure.ts";
import { createPicked, pick } from "@/viewer/slices/marks/pick.ts";
import { panPane, type Plane, PLANES, seriesOf, zoomPane } from "@/viewer/scene.ts";

/** Maximum distance for grabbing a measurement's point, CSS px. */
const HOLD_PX = 9;
/** Drags shorter than this are clicks, CSS px. */
const CLICK_PX = 4;
/** Drag distance per slice, CSS px. */
const SCROLL_PX = 6;

interface Finger {
  x: number;
  y: number;
}

/** The current gesture. */
type Gesture =
  | { kind: "scroll"; rest: number }
  | { kind: "hold"; at: number; place: number; before: Measurement }
  | { kind: "paint" }
  | { kind: "measure"; startX: number; startY: number; isDrag: boolean }
  | null;

/**
 * Left-button gestures of the selected tool, two-finger zoom and pan,
 * and three-finger window/level. Listens in the capture phase,
 * before the panes' own handlers, and stops the events that it handles.
 *
 * @param root Element with the panes, each with its plane in `data-plane`. Panes of compared images
 * have `data-other-plane`: two-finger gestures work there, tools do not.
 */
export function listenToGestures(
  root: HTMLElement,
  session: ViewerSession,
  state: ToolState,
): () => void {
  const stop = new AbortController(), options = { signal: stop.signal, capture: true };
  const fingers = new Map<number, Finger>(), picked = createPicked();
  let gesture: Gesture = null, pane: HTMLElement | null = null, plane: Plane = "axial", lastY = 0;
  /** State before this gesture: measurements, and the crosshair's position. */
  let measuredBefore: readonly Measurement[] = [], crosshairBefore: readonly number[] = [];
  /** Two fingers are, or were, down: the remaining finger has no effect. */
  let isPinch = false;

  const paneOf = (event: Event): HTMLElement | null =>
    (event.target as Element | null)?.closest<HTMLElement>("[data-plane],[data-other-plane]") ??
      null;
  const planeOf = (element: HTMLElement): Plane =>
    PLANES.find((each) => each === (element.dataset.plane ?? element.dataset.otherPlane)) ??
      "axial";

  /** Position relative to the pane's corner, device pixels. */
  const pixel = (element: HTMLElement, x: number, y: number): [number, number] => {
    const box = element.getBoundingClientRect(), ratio = session.renderer!.ratio(plane);
    return [(x - box.left) * ratio, (y - box.top) * ratio];
  };
  const placeAt = (element: HTMLElement, event: PointerEvent): number[] | null => {
    const [x, y] = pixel(element, event.clientX, event.clientY);
    pick(picked, session.renderer!.mapping(plane), session.grid, null, x, y);
    return picked.isInside ? [...picked.rasMm] : null;
  };
  /** Index of the measurement's point under the pointer. */
  const measurementAt = (
    element: HTMLElement,
    event: PointerEvent,
  ): { at: number; place: number } | null => {
    const mapping = session.renderer!.mapping(plane),
      [x, y] = pixel(element, event.clientX, event.clientY);
    for (const [at, each] of [...state.measurements.peek().entries()].reverse()) {
      if (each.isFixed || !isWhole(each) || !isOnSlice(each, mapping, session.grid)) continue;
      const { place, pixels } = nearestPlace(each, mapping, session.grid, x, y);
      if (pixels <= HOLD_PX * session.renderer!.ratio(plane)) return { at, place };
    }
    return null;
  };
  const take = (event: Event) => {
    event.stopPropagation();
    event.preventDefault();
  };

  root.addEventListener("pointerdown", (event) => {
    const element = paneOf(event);
    if (!element || !session.renderer) return;
    state.isPlaying.value = false;
    pane = element;
    plane = planeOf(element);
    if (event.pointerType === "touch") {
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (fingers.size === 1) {
        isPinch = false;
        crosshairBefore = [...session.scene.crosshairMm];
      } else {
        // cancels the drawing that the first finger started
        if (gesture && gesture.kind !== "scroll") state.cancel(measuredBefore);
        gesture = null;
        if (!isPinch) session.goToMm(crosshairBefore);
        isPinch = true;
        take(event);
        return;
      }
    }
    if (event.button !== 0 || event.shiftKey || event.ctrlKey || !element.dataset.plane) return;
    const tool = state.tool.peek(), hold = measurementAt(element, event);
    measuredBefore = state.measurements.peek();
    if (hold) gesture = { kind: "hold", ...hold, before: measuredBefore[hold.at]! };
    else if (tool === "scroll") gesture = { kind: "scroll", rest: 0 };
    else if (tool === "brush") {
      const place = placeAt(element, event);
      if (!place || !state.brush.value) return;
      state.brush.value.begin(plane, place);
      gesture = { kind: "paint" };
    } else if (isMeasuring(tool)) {
      const place = placeAt(element, event);
      if (!place) return;
      state.place(tool, plane, place, seriesOf(session.type.peek()));
      gesture = { kind: "measure", startX: event.clientX, startY: event.clientY, isDrag: false };
    } else return;
    session.activePane.value = plane;
    lastY = event.clientY;
    element.setPointerCapture(event.pointerId);
    element.focus({ preventScroll: true });
    take(event);
  }, options);

  root.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (finger && isPinch && pane && session.renderer) {
      if (fingers.size === 2) twoFingers(event, finger);
      else if (fingers.size > 2) {
        // moves all points by the same distance
        session.dragWindow(
          (event.clientX - finger.x) / fingers.size,
          (finger.y - event.clientY) / fingers.size,
        );
      }
      Object.assign(finger, { x: event.clientX, y: event.clientY });
      take(event);
      return;
    }
    if (!gesture || !pane || !session.renderer) return;
    take(event);
    if (gesture.kind === "scroll") {
      gesture.rest += event.clientY - lastY;
      lastY = event.clientY;
      const slices = Math.trunc(gesture.rest / SCROLL_PX);
      if (slices === 0) return;
      gesture.rest -= slices * SCROLL_PX;
      session.scroll(plane, -slices);
      return;
    }
    const place = placeAt(pane, event);
    if (!place) return;
    if (gesture.kind === "paint") return state.brush.value?.extend(place);
    if (gesture.kind === "hold") {
      state.move(gesture.at, gesture.place, place);
      return;
    }
    // a drag draws a ruler directly; clicks set its points one by one
    const away = Math.hypot(event.clientX - gesture.startX, event.clientY - gesture.startY);
    const measurements = state.measurements.peek(), last = measurements.at(-1);
    if (last && isRegion(last) && (gesture.isDrag || away >= CLICK_PX)) {
      gesture.isDrag = true;
      if (last.kind === "freehand") state.extend(place);
      else state.move(measurements.length - 1, 1, place);
      return;
    }
    if (last?.kind !== "ruler" || (!gesture.isDrag && away < CLICK_PX)) return;
    if (!gesture.isDrag && !isWhole(last)) state.place("ruler", plane, place);
    gesture.isDrag = true;
    state.move(measurements.length - 1, 1, place);
  }, options);

  /**
   * Two-finger gesture: a change of distance zooms
   * around the midpoint, a movement of the midpoint pans.
   */
  const twoFingers = (event: PointerEvent, finger: Finger) => {
    const renderer = session.renderer!,
      other = [...fingers].find(([id]) => id !== event.pointerId)![1];
    const distanceBefore = Math.hypot(finger.x - other.x, finger.y - other.y);
    const distanceAfter = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    const ratio = renderer.ratio(plane), mapping = renderer.mapping(plane);
    panPane(
      session.scene,
      mapping,
      (event.clientX - finger.x) / 2 * ratio,
      (event.clientY - finger.y) / 2 * ratio,
    );
    const [x, y] = pixel(pane!, (event.clientX + other.x) / 2, (event.clientY + other.y) / 2);
    if (distanceBefore > 10 && distanceAfter > 10) {
      zoomPane(session.scene, mapping, distanceAfter / distanceBefore, x, y);
    }
    session.viewChanged(plane);
  };

  for (const end of ["pointerup", "pointercancel"] as const) {
    root.addEventListener(end, (event) => {
      const wasTaken = gesture !== null || fingers.size > 1;
      fingers.delete(event.pointerId);
      if (gesture?.kind === "measure") state.end(!gesture.isDrag);
      if (gesture?.kind === "hold") state.moved(gesture.at, gesture.before);
      if (gesture?.kind === "paint") state.brush.value?.end();
      gesture = null;
      if (wasTaken) take(event);
    }, options);
  }
  // two quick points of a measurement must not enlarge the pane like a double click
  root.addEventListener("dblclick", (event) => {
    const tool = state.tool.peek();
    if (paneOf(event) && (isMeasuring(tool) || tool === "brush")) take(event);
  }, options);
  return () => stop.abort();
}
