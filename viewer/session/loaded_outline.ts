import { effect, type Signal } from "@preact/signals-react";
import { createVolumeLoader } from "@/client/kernels/client.ts";
import type { OutlineState } from "@/viewer/session/overlays.ts";
import { openReading } from "@/viewer/session/reading/kernels.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { type Composer, createComposer, writeVoxels } from "@/viewer/slices/compose.ts";
import { axesOf } from "@/viewer/slices/marks/outline.ts";
import type { DrawOver, SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import type { PaneMapping, Plane } from "@/viewer/scene.ts";
import { sliceOf } from "@/viewer/voxel_kernels.ts";

/** A label map loaded from a separate file and drawn as outlines while enabled. */
interface LoadedOutline<Lines> {
  field: "icv_mask_file" | "t2w_region_mask_file";
  /** Whether the outline is enabled; reads signals. */
  isAsked: () => boolean;
  state: Signal<OutlineState>;
  /**
   * Computes the outlines on a stored slice with rows of `width` voxels.
   * The slice is a view that the next call of the kernel overwrites.
   */
  trace: (slice: Uint8Array, width: number) => Lines;
  /** Draws the outlines. `ratio`: device pixels per CSS pixel. */
  draw: (
    context: CanvasRenderingContext2D,
    lines: Lines,
    mapping: PaneMapping,
    ratio: number,
  ) => void;
}

/**
 * Loads a label map of a study into a separate composer, on the volumes' grid.
 * @throws {AppError} the server's code, `network.offline`,
 * or `engine.unsupported_input` for a damaged file.
 */
async function loadLabels(
  session: ViewerSession,
  field: LoadedOutline<unknown>["field"],
  url: string,
  signal: AbortSignal,
): Promise<Composer> {
  const { pid, grid: { shape } } = session, loader = createVolumeLoader();
  const [module] = await Promise.all([session.kernels(), openReading()]);
  signal.throwIfAborted();
  const composer = createComposer(module, shape);
  try {
    await loader.load({
      pid,
      field,
      url,
      shape,
      signal,
      onSlab: (offset, voxels) => writeVoxels(composer.volume("labels"), offset, voxels),
    });
    return composer;
  } catch (error) {
    composer.close();
    throw error;
  } finally {
    loader.close();
  }
}

/**
 * Draws outlines from a file above the slices while enabled, and reports progress.
 * @returns a function that stops the drawing.
 */
export function followLoadedOutline<Lines>(
  session: ViewerSession,
  renderer: SliceRenderer,
  { field, isAsked, state, trace, draw }: LoadedOutline<Lines>,
): () => void {
  let labels: Composer | null = null, arriving: Promise<Composer> | null = null;
  const stopping = new AbortController();
  /** most recent outlines of each plane; empty if the crosshair is outside the volume */
  const lastLines = new Map<Plane, { slice: number; lines: Lines | null }>();
  const drawOver: DrawOver = (context, mapping, ratio) => {
    if (!labels || state.peek() !== "shown") return;
    const { plane, slice, through } = mapping, { shape } = session.grid;
    let last = lastLines.get(plane);
    if (last?.slice !== slice) {
      const isInside = slice >= 0 && slice < shape[through]!;
      const lines = isInside
        ? trace(sliceOf(labels, "labels", through, slice), shape[axesOf(through)[0]]!)
        : null;
      lastLines.set(plane, last = { slice, lines });
    }
    if (last.lines !== null) draw(context, last.lines, mapping, ratio);
  };
  renderer.drawOver.add(drawOver);
  const say = (next: OutlineState) => {
    state.value = next;
    renderer.invalidateLines();
  };
  const ask = async () => {
    if (labels) return say("shown");
    const url = session.patient[field];
    if (!url) return say("absent");
    say("loading");
    arriving ??= loadLabels(session, field, url, stopping.signal);
    try {
      labels = await arriving;
    } catch {
      // the side panel shows the error; enabling the outline again retries the load
      arriving = null;
    }
    if (!stopping.signal.aborted && state.peek() === "loading") say(labels ? "shown" : "failed");
  };
  const stop = effect(() => {
    if (isAsked()) void ask();
    else say("hidden");
  });
  return () => {
    stopping.abort();
    stop();
    renderer.drawOver.delete(drawOver);
    labels?.close();
    labels = null;
  };
}
