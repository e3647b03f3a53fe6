import { presentError } from "@/client/notices/present_error.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { openReading } from "@/viewer/session/reading/kernels.ts";
import { type Contour, contoursOf } from "@/viewer/slices/marks/mask_contours.ts";
import { lineColourOf } from "@/viewer/slices/marks/line_colour.ts";
import { axesOf, drawContours } from "@/viewer/slices/marks/outline.ts";
import type { DrawOver, SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import type { Slot } from "@/viewer/slices/compose.ts";
import type { Plane, ViewerType } from "@/viewer/scene.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";

const SLOT_OF: Record<ViewerType, Slot> = {
  parcellation: "labels",
  corticalThickness: "thickness",
  wmh: "lesions",
};

/** Inputs from which the contours of a plane are computed. */
interface Known {
  slice: number;
  type: ViewerType;
  isShown: Uint8Array;
  changes: number;
  contours: Contour[];
}

/** Draws the visible masks as outlines while enabled. @returns a function that stops this. */
export function followMaskOutline(session: ViewerSession, renderer: SliceRenderer): () => void {
  const lastContours = new Map<Plane, Known>();
  let isReady = false;
  openReading().then(() => {
    isReady = true;
    renderer.invalidateLines();
  }, presentError);
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
    // waits for the whole map: contours of a map that is still arriving would be incomplete
    if (!isAsked || !isReady || !composer || !session.isWhole(slot)) return;
    const isShown = shownOf(type),
      changes = session.resultChanges.peek(),
      { slice, through } = mapping;
    let last = lastContours.get(mapping.plane);
    const isSame = last?.slice === slice && last.type === type && last.isShown === isShown &&
      last.changes === changes && session.tools.peek()?.tool.peek() !== "brush";
    if (!last || !isSame) {
      const width = session.grid.shape[axesOf(through)[0]]!;
      const isInside = slice >= 0 && slice < session.grid.shape[through]!;
      // thickness has no regions: the outline surrounds all visible voxels
      const contours = isInside
        ? contoursOf(
          sliceOf(composer, slot, through, slice),
          width,
          isShown,
          type === "corticalThickness",
        )
        : [];
      lastContours.set(mapping.plane, last = { slice, type, isShown, changes, contours });
    }
    const table = composer.table(type),
      opacity = session.overlays[type].opacityPercent.peek() / 100;
    const colourOf = (value: number) =>
      lineColourOf(table[type === "corticalThickness" ? 128 : value]!);
    drawContours(context, last.contours, mapping, ratio, colourOf, opacity);
  };
  renderer.drawOver.add(draw);
  renderer.invalidateLines();
  return () => void renderer.drawOver.delete(draw);
}
