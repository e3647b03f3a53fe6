import { effect } from "@preact/signals-react";
import { createVolumeLoader } from "@/client/kernels/client.ts";
import type { OutlineState } from "@/viewer/session/overlays.ts";
import { openReading } from "@/viewer/session/reading/kernels.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Composer, createComposer, writeVoxels } from "@/viewer/slices/compose.ts";
import { outlineOf } from "@/viewer/slices/marks/mask_contours.ts";
import { axesOf, drawOutline } from "@/viewer/slices/marks/outline.ts";
import type { DrawOver, SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import type { Plane } from "@/viewer/scene.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";

/**
 * The intracranial mask of a study, as the labels of a composer of its own: 1 inside the dura, on the volumes' grid.
 * @throws {AppError} the server's code, `network.offline`, or `engine.unsupported_input` for a damaged file.
 */
async function loadMask(session: ViewerSession, url: string, signal: AbortSignal): Promise<Composer> {
  const { pid, grid: { shape } } = session, loader = createVolumeLoader();
  const [module] = await Promise.all([session.kernels(), openReading()]);
  signal.throwIfAborted();
  const mask = createComposer(module, shape);
  try {
    await loader.load({
      pid,
      field: "icv_mask_file",
      url,
      shape,
      signal,
      onSlab: (offset, voxels) => writeVoxels(mask.volume("labels"), offset, voxels),
    });
    return mask;
  } catch (error) {
    mask.close();
    throw error;
  } finally {
    loader.close();
  }
}

/** Draws the intracranial outline over the slices while it is asked for; gives what stops it. */
export function followIcvOutline(
  session: ViewerSession,
  renderer: SliceRenderer,
): () => void {
  let mask: Composer | null = null;
  const stopping = new AbortController();
  /** lines of the slice that each plane showed last */
  const known = new Map<Plane, { slice: number; lines: Float32Array }>();
  const draw: DrawOver = (context, mapping, ratio) => {
    if (!mask || session.outline.peek() !== "shown") return;
    const { slice, through } = mapping, { shape } = session.grid;
    let last = known.get(mapping.plane);
    if (last?.slice !== slice) {
      const isInside = slice >= 0 && slice < shape[through]!;
      const lines = isInside
        ? outlineOf(sliceOf(mask, "labels", through, slice), shape[axesOf(through)[0]]!)
        : new Float32Array();
      last = { slice, lines };
      known.set(mapping.plane, last);
    }
    drawOutline(context, last.lines, mapping, ratio);
  };
  renderer.drawOver.add(draw);
  const say = (state: OutlineState) => {
    session.outline.value = state;
    renderer.invalidateLines();
  };
  const ask = async () => {
    if (mask) return say("shown");
    const url = session.patient.icv_mask_file;
    if (!url) return say("absent");
    say("loading");
    try {
      mask = await loadMask(session, url, stopping.signal);
    } catch {
      // said beside the volume; the slices stay as they are
    }
    if (!stopping.signal.aborted && session.outline.peek() === "loading") say(mask ? "shown" : "failed");
  };
  const stop = effect(() => {
    if (session.isIcvAsked) void ask();
    else say("hidden");
  });
  return () => {
    stopping.abort();
    stop();
    renderer.drawOver.delete(draw);
    mask?.close();
    mask = null;
  };
}
