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

/** Maximum distance between pointer and a measurement's point for dragging that point, CSS px. */
const HOLD_PX = 9;
/** Drags shorter than this are clicks, CSS px. */
const CLICK_PX = 4;
/** Drag distance per slice, CSS px. */
const SCROLL_PX = 6;

interface Finger {
  x: number;
  y: number;
}

/** The measurement point that is being dragged. */
interface Hold {
  /** index of the measurement in the list of measurements */
  at: number;
  /** index of the point within the measurement */
  place: number;
  before: Measurement;
}

/** Second point of a measurement: set by another click, or by the end of a drag. */
interface Drawing {
  startX: number;
  startY: number;
  isDrag: boolean;
}

/** The current gesture of the pointer. */
type Gesture =
  /** `remainder`: part of a scroll gesture that is smaller than a slice so far, CSS px */
  | { kind: "scroll"; lastY: number; remainder: number }
  | { kind: "hold" } & Hold
  | { kind: "paint" }
  | { kind: "measure" } & Drawing
  | null;

/** The pane under the pointer, and its element. */
interface Pane {
  element: HTMLElement;
  plane: Plane;
}

/** The pane in which a pointer event occurred; `null` outside all panes. */
function paneOf(event: Event): Pane | null {
  const element = (event.target as Element | null)
    ?.closest<HTMLElement>("[data-plane],[data-other-plane]");
  if (!element) return null;
  const { plane, otherPlane } = element.dataset;
  return { element, plane: PLANES.find((each) => each === (plane ?? otherPlane)) ?? "axial" };
}

/** Stops the browser's and the panes' own handling of an event. */
function take(event: Event): void {
  event.stopPropagation();
  event.preventDefault();
}

/**
 * Left-button gestures of the selected tool, two-finger zoom and pan, three-finger window/level.
 * Listens in the capture phase, before the panes' own handlers do,
 * and stops the propagation of events that this module handles.
 *
 * @param root Element with the panes, each with the plane in `data-plane`. Panes of compared images
 * have `data-other-plane`, where two-finger gestures work and tools do not.
 */
export function listenToGestures(
  root: HTMLElement,
  session: ViewerSession,
  state: ToolState,
): () => void {
  const stop = new AbortController(), options = { signal: stop.signal, capture: true };
  const gestures = new Gestures(session, state);
  root.addEventListener("pointerdown", (event) => gestures.begin(event), options);
  root.addEventListener("pointermove", (event) => gestures.move(event), options);
  root.addEventListener("pointerup", (event) => gestures.end(event), options);
  root.addEventListener("pointercancel", (event) => gestures.end(event), options);
  // two quick clicks that set measurement points must not enlarge the pane like a double click
  root.addEventListener("dblclick", (event) => {
    const tool = state.tool.peek();
    if (paneOf(event) && (isMeasuring(tool) || tool === "brush")) take(event);
  }, options);
  return () => stop.abort();
}

/** The gesture in progress, and the touch points of fingers on the screen. */
class Gestures {
  readonly #session: ViewerSession;
  readonly #state: ToolState;
  readonly #fingers = new Map<number, Finger>();
  readonly #picked = createPicked();
  #gesture: Gesture = null;
  #pane: Pane | null = null;
  /** State before the gesture, restored on cancel: measurements, and the crosshair's position. */
  #measuredBefore: readonly Measurement[] = [];
  #crosshairBefore: readonly number[] = [];
  /** True while or after two fingers touch: the remaining finger then has no effect. */
  #isPinch = false;

  constructor(session: ViewerSession, state: ToolState) {
    this.#session = session;
    this.#state = state;
  }

  begin(event: PointerEvent): void {
    const pane = paneOf(event), session = this.#session;
    if (!pane || !session.renderer) return;
    this.#state.isPlaying.value = false;
    this.#pane = pane;
    if (event.pointerType === "touch" && this.#isFurtherFinger(event)) return take(event);
    if (event.button !== 0 || event.shiftKey || event.ctrlKey || !pane.element.dataset.plane) {
      return;
    }
    this.#measuredBefore = this.#state.measurements.peek();
    const gesture = this.#gestureOf(pane, event);
    if (!gesture) return;
    this.#gesture = gesture;
    session.activePane.value = pane.plane;
    pane.element.setPointerCapture(event.pointerId);
    pane.element.focus({ preventScroll: true });
    take(event);
  }

  move(event: PointerEvent): void {
    const pane = this.#pane, finger = this.#fingers.get(event.pointerId);
    if (!pane || !this.#session.renderer) return;
    if (finger && this.#isPinch) {
      if (this.#fingers.size === 2) this.#pinch(pane, event, finger);
      else if (this.#fingers.size > 2) this.#dragWindow(event, finger);
      Object.assign(finger, { x: event.clientX, y: event.clientY });
      return take(event);
    }
    const gesture = this.#gesture;
    if (!gesture) return;
    take(event);
    if (gesture.kind === "scroll") return this.#scroll(pane.plane, gesture, event.clientY);
    const place = this.#placeAt(pane, event);
    if (!place) return;
    if (gesture.kind === "paint") this.#state.brush.value?.extend(place);
    else if (gesture.kind === "hold") this.#state.move(gesture.at, gesture.place, place);
    else this.#draw(pane.plane, gesture, event, place);
  }

  end(event: PointerEvent): void {
    const gesture = this.#gesture, wasTaken = gesture !== null || this.#fingers.size > 1;
    this.#fingers.delete(event.pointerId);
    if (gesture?.kind === "measure") this.#state.end(!gesture.isDrag);
    if (gesture?.kind === "hold") this.#state.moved(gesture.at, gesture.before);
    if (gesture?.kind === "paint") this.#state.brush.value?.end();
    this.#gesture = null;
    if (wasTaken) take(event);
  }

  /** Stores a finger's touch point; a second finger cancels the gesture of the first one. */
  #isFurtherFinger(event: PointerEvent): boolean {
    this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#fingers.size === 1) {
      this.#isPinch = false;
      this.#crosshairBefore = [...this.#session.scene.crosshairMm];
      return false;
    }
    if (this.#gesture && this.#gesture.kind !== "scroll") this.#state.cancel(this.#measuredBefore);
    this.#gesture = null;
    if (!this.#isPinch) this.#session.goToMm(this.#crosshairBefore);
    this.#isPinch = true;
    return true;
  }

  /** Starts the selected tool's gesture at the pointer; `null` if the tool has no gesture. */
  #gestureOf(pane: Pane, event: PointerEvent): Gesture {
    const state = this.#state, tool = state.tool.peek(), hold = this.#holdAt(pane, event);
    if (hold) return { kind: "hold", ...hold };
    if (tool === "scroll") return { kind: "scroll", lastY: event.clientY, remainder: 0 };
    if (tool !== "brush" && !isMeasuring(tool)) return null;
    const place = this.#placeAt(pane, event);
    if (!place) return null;
    if (tool !== "brush") {
      state.place(tool, pane.plane, place, seriesOf(this.#session.type.peek()));
      return { kind: "measure", startX: event.clientX, startY: event.clientY, isDrag: false };
    }
    if (!state.brush.value) return null;
    state.brush.value.begin(pane.plane, place);
    return { kind: "paint" };
  }

  /** Position relative to the pane's corner, device pixels. */
  #pixel({ element, plane }: Pane, x: number, y: number): [number, number] {
    const box = element.getBoundingClientRect(), ratio = this.#session.renderer!.ratio(plane);
    return [(x - box.left) * ratio, (y - box.top) * ratio];
  }

  /** Position in the patient under the pointer, RAS mm; `null` outside the volume. */
  #placeAt(pane: Pane, event: PointerEvent): number[] | null {
    const [x, y] = this.#pixel(pane, event.clientX, event.clientY), session = this.#session;
    pick(this.#picked, session.renderer!.mapping(pane.plane), session.grid, null, x, y);
    return this.#picked.isInside ? [...this.#picked.rasMm] : null;
  }

  /** The measurement's point under the pointer, of the topmost measurement first. */
  #holdAt(pane: Pane, event: PointerEvent): Hold | null {
    const { renderer, grid } = this.#session, mapping = renderer!.mapping(pane.plane);
    const [x, y] = this.#pixel(pane, event.clientX, event.clientY);
    for (const [at, before] of [...this.#state.measurements.peek().entries()].reverse()) {
      if (before.isFixed || !isWhole(before) || !isOnSlice(before, mapping, grid)) continue;
      const { place, pixels } = nearestPlace(before, mapping, grid, x, y);
      if (pixels <= HOLD_PX * renderer!.ratio(pane.plane)) return { at, place, before };
    }
    return null;
  }

  #scroll(plane: Plane, gesture: { lastY: number; remainder: number }, y: number): void {
    gesture.remainder += y - gesture.lastY;
    gesture.lastY = y;
    const slices = Math.trunc(gesture.remainder / SCROLL_PX);
    if (slices === 0) return;
    gesture.remainder -= slices * SCROLL_PX;
    this.#session.scroll(plane, -slices);
  }

  /** A drag draws a ruler or region directly; clicks set the points one by one. */
  #draw(plane: Plane, drawing: Drawing, event: PointerEvent, place: number[]): void {
    const state = this.#state, measurements = state.measurements.peek();
    const last = measurements.at(-1), lastAt = measurements.length - 1;
    const away = Math.hypot(event.clientX - drawing.startX, event.clientY - drawing.startY);
    const isDrag = drawing.isDrag || away >= CLICK_PX;
    if (!last || !isDrag) return;
    if (isRegion(last)) {
      drawing.isDrag = true;
      if (last.kind === "freehand") state.extend(place);
      else state.move(lastAt, 1, place);
    } else if (last.kind === "ruler") {
      if (!drawing.isDrag && !isWhole(last)) state.place("ruler", plane, place);
      drawing.isDrag = true;
      state.move(lastAt, 1, place);
    }
  }

  /** Three-finger gesture: changes window/level; moves all touch points by the same distance. */
  #dragWindow(event: PointerEvent, finger: Finger): void {
    const fingers = this.#fingers.size;
    this.#session.dragWindow(
      (event.clientX - finger.x) / fingers,
      (finger.y - event.clientY) / fingers,
    );
  }

  /**
   * Two-finger gesture: a change of the distance between the fingers zooms around the midpoint,
   * and a movement of the midpoint pans.
   */
  #pinch(pane: Pane, event: PointerEvent, finger: Finger): void {
    const { scene, renderer } = this.#session, { plane } = pane;
    const otherFinger = [...this.#fingers].find(([id]) => id !== event.pointerId)![1];
    const distanceBefore = Math.hypot(finger.x - otherFinger.x, finger.y - otherFinger.y);
    const distanceAfter = Math.hypot(event.clientX - otherFinger.x, event.clientY - otherFinger.y);
    const ratio = renderer!.ratio(plane), mapping = renderer!.mapping(plane);
    panPane(
      scene,
      mapping,
      (event.clientX - finger.x) / 2 * ratio,
      (event.clientY - finger.y) / 2 * ratio,
    );
    const middle = [
      (event.clientX + otherFinger.x) / 2,
      (event.clientY + otherFinger.y) / 2,
    ] as const;
    const [x, y] = this.#pixel(pane, ...middle);
    if (distanceBefore > 10 && distanceAfter > 10) {
      zoomPane(scene, mapping, distanceAfter / distanceBefore, x, y);
    }
    this.#session.viewChanged(plane);
  }
}
