import { effect, type ReadonlySignal } from "@preact/signals-react";
import { TABLE_SIZE } from "@/viewer/colours.ts";
import type { Composer } from "@/viewer/slices/compose.ts";
import { type Convention, type Scene, VIEWER_TYPES, type ViewerType } from "@/viewer/scene.ts";
import { layoutOf, type LayoutState } from "@/viewer/layout.ts";
import type { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";

/** What a session shows: its scene, and the signals that the scene follows. */
interface SceneSource {
  readonly scene: Scene;
  readonly type: ReadonlySignal<ViewerType>;
  readonly overlays: Readonly<
    Record<ViewerType, { isVisible: ReadonlySignal<boolean>; opacityPercent: ReadonlySignal<number> }>
  >;
  readonly windowWidth: ReadonlySignal<number>;
  readonly windowLevel: ReadonlySignal<number>;
  readonly layout: LayoutState;
  readonly convention: ReadonlySignal<Convention>;
  readonly isCrosshairVisible: ReadonlySignal<boolean>;
  readonly isOutlined: ReadonlySignal<boolean>;
  readonly scale: ReadonlySignal<Scene["scale"]>;
  /** changes when the crosshair or a pane moves */
  readonly moves: ReadonlySignal<number>;
  readonly shownRegions: ReadonlySignal<Uint8Array>;
  readonly shownThickness: ReadonlySignal<Uint8Array>;
  readonly shownLesions: ReadonlySignal<Uint8Array>;
}

/**
 * Copies every signal of a session into its scene and requests frames. @returns stops it. Renders no React and allocates
 * nothing.
 */
export function connectScene(
  session: SceneSource,
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
      scene.scale = session.scale.value;
      scene.isOutlined = session.isOutlined.value;
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
