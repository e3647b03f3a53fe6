import { TABLE_SIZE } from "@/viewer/colours.ts";
import { followLoadedOutline } from "@/viewer/session/loaded_outline.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { lineColour } from "@/viewer/slices/marks/line_colour.ts";
import { contoursOf } from "@/viewer/slices/marks/mask_contours.ts";
import { drawContours } from "@/viewer/slices/marks/outline.ts";
import type { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";

/**
 * Draws the deep structures of a FLAIR without T1w series as coloured outlines while enabled.
 * Structures without a volume are omitted, as in the table.
 * @returns a function that stops the drawing.
 */
export function followStructureOutline(
  session: ViewerSession,
  renderer: SliceRenderer,
): () => void {
  const isShown = new Uint8Array(TABLE_SIZE);
  for (const { part_index: labels } of session.patient.flair_structures ?? []) {
    for (const label of labels) isShown[label] = 1;
  }
  return followLoadedOutline(session, renderer, {
    field: "t2w_region_mask_file",
    isAsked: () => session.areStructuresAsked.value,
    state: session.structureOutline,
    trace: (slice, width) => contoursOf(slice, width, isShown),
    draw: (context, contours, mapping, ratio) =>
      drawContours(context, contours, mapping, ratio, lineColour),
  });
}
