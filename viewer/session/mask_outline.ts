import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Contour, contoursOf } from "@/viewer/slices/marks/mask_contours.ts";
import type { DrawOver, SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import type { Slot } from "@/viewer/slices/compose.ts";
import type { PaneMapping, Plane, ViewerType } from "@/viewer/scene.ts";

const SLOT_OF: Record<ViewerType, Slot> = {
  parcellation: "labels",
  corticalThickness: "thickness",
  wmh: "lesions",
};

/** What a plane's contours were made of. */
interface Known {
  slice: number;
  type: ViewerType;
  isShown: Uint8Array;
  changes: number;
  contours: Contour[];
}

/** Draws the shown masks as outlines while they are asked for; gives what stops it. */
export function followMaskOutline(session: ViewerSession, renderer: SliceRenderer): () => void {
  const known = new Map<Plane, Known>();
  const shownOf = (type: ViewerType) =>
    (type === "parcellation"
      ? session.shownRegions
      : type === "wmh"
      ? session.shownLesions
      : session.shownThickness)
      .peek();
  const draw: DrawOver = (context, mapping, ratio) => {
    const type = session.type.peek(), { composer } = session, slot = SLOT_OF[type];
    const isAsked = session.isOutlined.peek() && session.overlays[type].isVisible.peek();
    if (!isAsked || !composer?.has(slot)) return;
    const isShown = shownOf(type), changes = session.resultChanges.peek();
    let last = known.get(mapping.plane);
    const isSame = last?.slice === mapping.slice && last.type === type && last.isShown === isShown &&
      last.changes === changes && session.tools.peek()?.tool.peek() !== "brush";
    if (!last || !isSame) {
      // thickness is a scale, not regions: its outline is that of what is shown
      const isOne = type === "corticalThickness";
      const contours = contoursOf(composer.volume(slot), session.grid.shape, mapping, isShown, isOne);
      known.set(mapping.plane, last = { slice: mapping.slice, type, isShown, changes, contours });
    }
    const table = composer.table(type), opacity = session.overlays[type].opacityPercent.peek() / 100;
    for (const { value, lines } of last.contours) {
      const word = type === "corticalThickness" ? table[128]! : table[value]!;
      const colour = `rgba(${word & 255},${word >> 8 & 255},${word >> 16 & 255},${opacity})`;
      drawContour(context, lines, mapping, colour, ratio);
    }
  };
  renderer.drawOver.add(draw);
  renderer.invalidateLines();
  return () => void renderer.drawOver.delete(draw);
}

function drawContour(
  context: CanvasRenderingContext2D,
  lines: Float32Array,
  { origin, du, dv, across, down }: PaneMapping,
  colour: string,
  ratio: number,
): void {
  const x = (index: number) => (index - origin[across]!) / du[across]! + 0.5;
  const y = (index: number) => (index - origin[down]!) / dv[down]! + 0.5;
  context.beginPath();
  for (let n = 0; n < lines.length; n += 4) {
    context.moveTo(x(lines[n]!), y(lines[n + 1]!));
    context.lineTo(x(lines[n + 2]!), y(lines[n + 3]!));
  }
  context.lineCap = "round";
  context.strokeStyle = colour;
  context.lineWidth = 1.6 * ratio;
  context.stroke();
}
