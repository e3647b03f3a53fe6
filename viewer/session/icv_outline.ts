import { followLoadedOutline } from "@/viewer/session/loaded_outline.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { outlineOf } from "@/viewer/slices/marks/mask_contours.ts";
import { drawOutline } from "@/viewer/slices/marks/outline.ts";
import type { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";

/**
 * Draws the outline of the intracranial mask above the slices while that outline is enabled.
 * @returns a function that stops the drawing.
 */
export const followIcvOutline = (session: ViewerSession, renderer: SliceRenderer): () => void =>
  followLoadedOutline(session, renderer, {
    field: "icv_mask_file",
    isAsked: () => session.isIcvAsked,
    state: session.outline,
    trace: outlineOf,
    draw: drawOutline,
  });
