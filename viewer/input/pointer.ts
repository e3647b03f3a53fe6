import type { ViewerSession } from "@/viewer/session/session.ts";
import { createPicked, pick, type Picked } from "@/viewer/slices/marks/pick.ts";
import type { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import { panPane, type Plane, zoomPane } from "@/viewer/scene.ts";

/** Delay after the last pointer move before the tooltip is shown, ms (D2 §4). */
export const TOOLTIP_MS = 200;
/** Wheel distance of one notch, CSS px: one notch is one slice, at any event rate of the wheel. */
const WHEEL_NOTCH = 90;
/** Trackpad scroll distance for one slice, CSS px. */
const WHEEL_PER_SLICE = 30;

type Drag = "crosshair" | "pan" | "window" | null;

/** Position where the pointer rests, for the tooltip. CSS px from the pane's corner. */
export interface Rest {
  picked: Picked;
  x: number;
  y: number;
}

/** Receives the position at which the pointer rests; `null` when the pointer has left. */
type OnHover = (rest: Rest | null) => void;

const dragOf = (event: PointerEvent): Drag =>
  event.button === 1 || (event.button === 0 && event.shiftKey)
    ? "pan"
    : event.button === 2
    ? "window"
    : event.button === 0
    ? "crosshair"
    : null;

/**
 * Mouse, pen and touch input of one pane, by native listeners: a move triggers no React event.
 *
 * @param drawn Renderer that draws the pane, if it is not the session's renderer.
 * Crosshair, zoom and pan are always the session's.
 */
export function listenToPointer(
  host: HTMLElement,
  plane: Plane,
  session: ViewerSession,
  onRest: OnHover,
  drawn?: SliceRenderer,
): () => void {
  const stop = new AbortController(), { signal } = stop;
  const rendererOf = () => drawn ?? session.renderer;
  const picked: Picked = createPicked();
  let drag: Drag = null, lastX = 0, lastY = 0, turned = 0;
  let restTimer: ReturnType<typeof setTimeout> | undefined;

  const pickAt = (event: MouseEvent): boolean => {
    const renderer = rendererOf();
    if (!renderer) return false;
    const box = host.getBoundingClientRect(), ratio = renderer.ratio(plane);
    const x = (event.clientX - box.left) * ratio, y = (event.clientY - box.top) * ratio;
    pick(picked, renderer.mapping(plane), renderer.grid, renderer.composer.labels, x, y);
    return true;
  };
  const moveCrosshair = (event: MouseEvent) => {
    if (pickAt(event) && picked.isInside) session.goToMm(picked.rasMm);
  };
  const forget = () => {
    clearTimeout(restTimer);
    onRest(null);
  };

  host.addEventListener("pointerdown", (event) => {
    if (!session.renderer) return;
    drag = dragOf(event);
    if (!drag) return;
    // the middle button would start the browser's autoscroll
    if (event.button !== 0) event.preventDefault();
    host.setPointerCapture(event.pointerId);
    [lastX, lastY] = [event.clientX, event.clientY];
    session.activePane.value = plane;
    forget();
    if (drag === "crosshair") moveCrosshair(event);
  }, { signal });

  host.addEventListener("pointermove", (event) => {
    const renderer = rendererOf();
    if (!renderer) return;
    const dx = event.clientX - lastX, dy = event.clientY - lastY;
    [lastX, lastY] = [event.clientX, event.clientY];
    if (drag === "crosshair") moveCrosshair(event);
    else if (drag === "pan") {
      const ratio = renderer.ratio(plane);
      panPane(session.scene, renderer.mapping(plane), dx * ratio, dy * ratio);
      session.viewChanged(plane);
    } else if (drag === "window") {
      session.dragWindow(dx, -dy);
    } else {
      forget();
      const box = host.getBoundingClientRect(),
        x = event.clientX - box.left,
        y = event.clientY - box.top;
      restTimer = setTimeout(() => {
        if (pickAt(event)) onRest({ picked, x, y });
      }, TOOLTIP_MS);
    }
  }, { signal });

  for (const end of ["pointerup", "pointercancel"] as const) {
    host.addEventListener(end, () => {
      // The region list selects the region under the crosshair after a click or a drag.
      if (drag === "crosshair") session.selectAtCrosshair();
      drag = null;
    }, { signal });
  }
  host.addEventListener("pointerleave", forget, { signal });
  host.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  host.addEventListener("dblclick", () => session.zoom(plane), { signal });
  host.addEventListener("wheel", (event) => {
    event.preventDefault();
    const renderer = rendererOf();
    if (!renderer) return;
    session.activePane.value = plane;
    forget();
    const turn = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 40 : event.deltaY;
    if (event.ctrlKey || event.metaKey) {
      const box = host.getBoundingClientRect(), ratio = renderer.ratio(plane);
      const x = (event.clientX - box.left) * ratio, y = (event.clientY - box.top) * ratio;
      zoomPane(session.scene, renderer.mapping(plane), Math.exp(-turn / 400), x, y);
      session.viewChanged(plane);
      return;
    }
    if (Math.abs(turn) >= WHEEL_NOTCH) turned = Math.sign(turn) * WHEEL_PER_SLICE;
    else turned += turn;
    const slices = Math.trunc(turned / WHEEL_PER_SLICE);
    if (slices === 0) return;
    turned -= slices * WHEEL_PER_SLICE;
    session.scroll(plane, -slices, renderer.grid);
  }, { signal, passive: false });

  return () => {
    clearTimeout(restTimer);
    stop.abort();
  };
}
