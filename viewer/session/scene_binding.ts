import { effect, type ReadonlySignal } from "@preact/signals-react";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { TABLE_SIZE } from "@/viewer/colours.ts";
import type { Composer } from "@/viewer/slices/compose.ts";
import { VIEWER_TYPES, type ViewerType } from "@/viewer/scene.ts";
import { layoutOf } from "@/viewer/layout.ts";
import type { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";

/**
 * Carries every signal of a session into its scene and asks for frames; gives the function that stops it.
 * Nothing here renders React or makes objects.
 */
export function connectScene(
  session: ViewerSession,
  renderer: SliceRenderer,
  composer: Composer,
): () => void {
  const { scene } = session;
  const show = (type: ViewerType, flags: ReadonlySignal<Uint8Array>) =>
    effect(() => {
      const shown = flags.value;
      for (let value = 1; value < TABLE_SIZE; value++) composer.setVisible(type, value, shown[value] === 1);
      renderer.invalidate();
    });
  const stops = [
    effect(() => {
      scene.type = session.type.value;
      for (const type of VIEWER_TYPES) {
        scene.overlays[type].isVisible = session.overlays[type].isVisible.value;
        scene.overlays[type].opacityPercent = session.overlays[type].opacityPercent.value;
      }
      renderer.invalidate();
    }),
    effect(() => {
      scene.window.width = session.windowWidth.value;
      scene.window.level = session.windowLevel.value;
      renderer.invalidate();
    }),
    effect(() => {
      scene.isOneScale = layoutOf(session.layout).grid === "quarters";
      renderer.invalidate();
    }),
    effect(() => {
      scene.convention = session.convention.value;
      renderer.invalidateMarks();
    }),
    effect(() => {
      scene.isCrosshairVisible = session.isCrosshairVisible.value;
      void session.moves.value;
      renderer.invalidateLines();
    }),
    show("parcellation", session.shownRegions),
    show("corticalThickness", session.shownThickness),
    show("wmh", session.shownLesions),
  ];
  return () => stops.forEach((stop) => stop());
}
