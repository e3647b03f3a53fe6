import { effect } from "@preact/signals-react";
import { createVolumeLoader } from "@/client/kernels/client.ts";
import type { OutlineState } from "@/viewer/session/overlays.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { writeVoxels } from "@/viewer/slices/compose.ts";
import { drawOutline, outlineOf } from "@/viewer/slices/marks/outline.ts";
import type { DrawOver, SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import type { Plane } from "@/viewer/scene.ts";

/** Mask type ICV with the mask shown (D2 §9): then the intracranial outline lies over the slices. */
const isAsked = (session: ViewerSession): boolean =>
  session.type.value === "parcellation" && session.basis.value === "icv" &&
  session.overlays.parcellation.isVisible.value;

/**
 * The intracranial mask of a study: 1 inside the dura, on the volumes' grid, i fastest.
 * @throws {AppError} the server's code, `network.offline`, or `engine.unsupported_input` for a damaged file.
 */
async function loadMask(session: ViewerSession, url: string, signal: AbortSignal): Promise<Uint8Array> {
  const { pid, grid: { shape } } = session, loader = createVolumeLoader();
  const mask = new Uint8Array(shape[0] * shape[1] * shape[2]);
  try {
    await loader.load({
      pid,
      field: "icv_mask_file",
      url,
      shape,
      signal,
      onSlab: (offset, voxels) => writeVoxels(mask, offset, voxels),
    });
  } finally {
    loader.close();
  }
  return mask;
}

/** Draws the intracranial outline over the slices while it is asked for; gives what stops it. */
export function followIcvOutline(
  session: ViewerSession,
  renderer: SliceRenderer,
): () => void {
  let mask: Uint8Array | null = null;
  const stopping = new AbortController();
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
    if (isAsked(session)) void ask();
    else say("hidden");
  });
  return () => {
    stopping.abort();
    stop();
    renderer.drawOver.delete(draw);
  };
}
