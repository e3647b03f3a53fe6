import { batch, effect } from "@preact/signals-react";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { drawOutline, outlineOf } from "@/viewer/slices/outline.ts";
import type { DrawOver, SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import type { Plane } from "@/viewer/scene.ts";

/** Whether the outline can be drawn: it is on its way, there, or not to be had. */
export type OutlineState = "hidden" | "loading" | "shown" | "absent" | "failed";

/** Mask type ICV with the mask shown (D2 §9): then the intracranial outline lies over the slices. */
const isAsked = (session: ViewerSession): boolean =>
  session.type.value === "parcellation" && session.basis.value === "icv" &&
  session.overlays.parcellation.isVisible.value;

/** Draws the intracranial outline over the slices while it is asked for; gives what stops it. */
export function followIcvOutline(
  session: ViewerSession,
  renderer: SliceRenderer,
  load: () => Promise<Uint8Array | null>,
): () => void {
  let mask: Uint8Array | null = null, isStopped = false;
  /** lines of the slice that each plane showed last */
  const known = new Map<Plane, { slice: number; lines: Float32Array }>();
  const draw: DrawOver = (context, mapping, ratio) => {
    if (!mask || session.outline.peek() !== "shown") return;
    let last = known.get(mapping.plane);
    if (last?.slice !== mapping.slice) {
      last = { slice: mapping.slice, lines: outlineOf(mask, session.grid.shape, mapping) };
      known.set(mapping.plane, last);
    }
    drawOutline(context, last.lines, mapping, ratio);
  };
  renderer.drawOver.add(draw);
  const say = (state: OutlineState) => {
    batch(() => session.outline.value = state);
    renderer.invalidateLines();
  };
  const ask = async () => {
    if (mask) return say("shown");
    if (!session.patient.icv_mask_file) return say("absent");
    say("loading");
    try {
      mask = await load();
    } catch {
      // said beside the control; the slices stay as they are
      if (!isStopped && session.outline.peek() === "loading") say("failed");
      return;
    }
    if (!isStopped && session.outline.peek() === "loading") say(mask ? "shown" : "absent");
  };
  const stop = effect(() => {
    if (isAsked(session)) void ask();
    else say("hidden");
  });
  return () => {
    isStopped = true;
    stop();
    renderer.drawOver.delete(draw);
  };
}
