import { effect } from "@preact/signals-react";
import type { ToolState } from "@/viewer/session/tool_state.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { affineRow } from "@/viewer/grid.ts";
import { throughAxis } from "@/viewer/scene.ts";

/**
 * Plays the slices of the last used pane back and forth, within the labelled part of the head.
 * The playback runs while the session's `isPlaying` is true.
 */
export function playSlices(session: ViewerSession, state: ToolState): () => void {
  let timer: ReturnType<typeof setInterval> | undefined, way = 1;
  const step = () => {
    const { scene, grid } = session, plane = session.activePane.peek(), ras = throughAxis[plane];
    const axis = grid.voxelAxis[ras]!, sign = grid.voxelSign[ras]!;
    const half = scene.field.extentMm[axis]! / grid.spacingMm[axis]! / 2;
    const away = sign *
      (affineRow(grid.ijkFromRas, axis, scene.crosshairMm) - scene.field.centreIjk[axis]!);
    if (away >= half - 1) way = -1;
    else if (away <= 1 - half) way = 1;
    session.scroll(plane, way);
  };
  const stop = effect(() => {
    clearInterval(timer);
    if (state.isPlaying.value) timer = setInterval(step, 1000 / state.slicesPerSecond.value);
  });
  return () => {
    clearInterval(timer);
    stop();
  };
}
