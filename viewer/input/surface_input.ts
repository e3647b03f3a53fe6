import {
  choosePreset,
  orbit,
  pan,
  PRESETS,
  resetCamera,
  type SurfaceCamera,
  zoom,
  zoomBy,
} from "@/viewer/surface/camera.ts";
import { TOOLTIP_MS } from "@/viewer/input/pointer.ts";
import type { SurfaceRenderer } from "@/viewer/surface/renderer.ts";

/** Maximum pointer movement of a click, CSS px; a longer movement is a drag. */
const CLICK_PX = 4;
/** Wheel distance of one notch, CSS px. */
const WHEEL_NOTCH = 100;
/** Rotation of the surface by an arrow key, degrees; smaller with Shift. */
const KEY_DEG = 10, FINE_DEG = 2;

/** Handler of a click on the surface; CSS px from the pane's top left. */
type OnChoose = (x: number, y: number) => void;
/**
 * Receives the position at which the pointer rests, CSS px from the pane's top left.
 * `null` when the pointer has left, or the picture is moving.
 */
type OnHover = (place: { x: number; y: number } | null) => void;

/**
 * Mouse, pen, touch and keys of the 3D pane.
 * Native listeners are used, so that a move triggers no React event.
 */
export function listenToSurface(
  host: HTMLElement,
  renderer: SurfaceRenderer,
  onChoose: OnChoose,
  onRest: OnHover,
): () => void {
  const stop = new AbortController(), { signal } = stop, { camera } = renderer;
  const pointers = new Map<number, { x: number; y: number }>();
  let isPan = false, moved = 0, rest: ReturnType<typeof setTimeout> | undefined;
  const forget = () => {
    clearTimeout(rest);
    onRest(null);
  };
  const change = (act: (camera: SurfaceCamera) => void) => {
    act(camera);
    renderer.invalidate();
    forget();
  };

  host.addEventListener("pointerdown", (event) => {
    // the middle button would start the browser's autoscroll
    if (event.button !== 0) event.preventDefault();
    forget();
    host.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    isPan = event.button !== 0 || event.shiftKey;
    if (pointers.size > 1) moved = Infinity;
    else moved = 0;
    renderer.press();
  }, { signal });

  host.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) {
      forget();
      const box = host.getBoundingClientRect(),
        x = event.clientX - box.left,
        y = event.clientY - box.top;
      rest = setTimeout(() => onRest({ x, y }), TOOLTIP_MS);
      return;
    }
    const dx = event.clientX - last.x, dy = event.clientY - last.y, [width, height] = renderer.size;
    const apart = spread(pointers);
    [last.x, last.y] = [event.clientX, event.clientY];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved < CLICK_PX) return;
    change(() => {
      if (pointers.size === 2) {
        const spreadNow = spread(pointers);
        if (apart > 0 && spreadNow > 0) zoomBy(camera, spreadNow / apart);
        // both fingers report the same movement, so that each contributes half of the shift
        pan(camera, dx / 2, dy / 2, width, height);
      } else if (isPan) pan(camera, dx, dy, width, height);
      else orbit(camera, dx, dy, width, height);
    });
  }, { signal });

  for (const end of ["pointerup", "pointercancel"] as const) {
    host.addEventListener(end, (event) => {
      if (!pointers.delete(event.pointerId) || pointers.size > 0) return;
      renderer.release();
      if (end === "pointercancel" || moved >= CLICK_PX || isPan) return;
      const box = host.getBoundingClientRect();
      onChoose(event.clientX - box.left, event.clientY - box.top);
    }, { signal });
  }
  host.addEventListener("pointerleave", forget, { signal });
  host.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  host.addEventListener("dblclick", () => change(resetCamera), { signal });
  host.addEventListener("wheel", (event) => {
    event.preventDefault();
    const turned = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 40 : event.deltaY;
    change(() => zoom(camera, -turned / WHEEL_NOTCH));
  }, { signal, passive: false });
  host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== host) return;
    if (event.key === "Enter") {
      const [width, height] = renderer.size;
      onChoose(width / 2, height / 2);
    } else if (!cameraKey(event, camera)) return;
    // without this, the viewer would also handle these keys, and change the slices
    event.stopPropagation();
    event.preventDefault();
    change(() => {});
  }, { signal });
  return () => {
    clearTimeout(rest);
    stop.abort();
  };
}

/** Distance between two fingers, px; 0 for any other number of pointers. */
function spread(pointers: ReadonlyMap<number, { x: number; y: number }>): number {
  const [a, b] = [...pointers.values()];
  return a && b && pointers.size === 2 ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
}

/** Handles a camera key. @returns true if the key has an action. */
function cameraKey(event: KeyboardEvent, camera: SurfaceCamera): boolean {
  // orbit() rotates by 180° for a drag across the pane: on a pane of 180 px, degrees equal pixels
  const degrees = event.shiftKey ? FINE_DEG : KEY_DEG;
  const turn = (dx: number, dy: number) => orbit(camera, dx * degrees, dy * degrees, 180, 180);
  switch (event.key) {
    case "ArrowLeft":
      turn(-1, 0);
      return true;
    case "ArrowRight":
      turn(1, 0);
      return true;
    case "ArrowUp":
      turn(0, -1);
      return true;
    case "ArrowDown":
      turn(0, 1);
      return true;
    case "+":
    case "=":
      zoom(camera, 1);
      return true;
    case "-":
    case "_":
      zoom(camera, -1);
      return true;
    case "0":
    case "Home":
      resetCamera(camera);
      return true;
  }
  const preset = /^[1-6]$/.test(event.key) ? PRESETS[Number(event.key) - 1] : undefined;
  if (preset) choosePreset(camera, preset);
  return preset !== undefined;
}
