import { computed, effect, type ReadonlySignal } from "@preact/signals-react";
import { TABLE_SIZE } from "@/viewer/colours.ts";
import type { Composer } from "@/viewer/slices/compose.ts";
import {
  type Convention,
  createPlace,
  type Overlay,
  type Scene,
  VIEWER_TYPES,
  type ViewerType,
} from "@/viewer/scene.ts";
import type { Grid } from "@/viewer/grid.ts";
import { layoutOf, type LayoutState } from "@/viewer/layout.ts";
import type { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";

/** Signals from which a session's scene is read. */
interface SceneSource {
  readonly type: ReadonlySignal<ViewerType>;
  readonly overlays: Readonly<
    Record<
      ViewerType,
      { isVisible: ReadonlySignal<boolean>; opacityPercent: ReadonlySignal<number> }
    >
  >;
  readonly windowWidth: ReadonlySignal<number>;
  readonly windowLevel: ReadonlySignal<number>;
  readonly layout: LayoutState;
  readonly convention: ReadonlySignal<Convention>;
  readonly isCrosshairVisible: ReadonlySignal<boolean>;
  readonly isOutlined: ReadonlySignal<boolean>;
  readonly scale: ReadonlySignal<Scene["scale"]>;
  /** incremented when the crosshair, or the zoom or pan of a pane, changes */
  readonly moves: ReadonlySignal<number>;
  readonly shownRegions: ReadonlySignal<Uint8Array>;
  readonly shownThickness: ReadonlySignal<Uint8Array>;
  readonly shownLesions: ReadonlySignal<Uint8Array>;
}

/** A session's scene: stores the position, and reads all other values from the signals. */
export function sceneOf(grid: Grid, source: SceneSource): Scene {
  const isOneScale = computed(() => layoutOf(source.layout).grid === "quarters");
  const overlay = (type: ViewerType): Readonly<Overlay> => ({
    get isVisible() {
      return source.overlays[type].isVisible.peek();
    },
    get opacityPercent() {
      return source.overlays[type].opacityPercent.peek();
    },
  });
  return Object.assign(
    {
      get type() {
        return source.type.peek();
      },
      get convention() {
        return source.convention.peek();
      },
      get isCrosshairVisible() {
        return source.isCrosshairVisible.peek();
      },
      get scale() {
        return source.scale.peek();
      },
      get isOutlined() {
        return source.isOutlined.peek();
      },
      get isOneScale() {
        return isOneScale.peek();
      },
      overlays: {
        parcellation: overlay("parcellation"),
        corticalThickness: overlay("corticalThickness"),
        wmh: overlay("wmh"),
      },
      window: {
        get width() {
          return source.windowWidth.peek();
        },
        get level() {
          return source.windowLevel.peek();
        },
      },
    },
    createPlace(grid),
  );
}

/**
 * Requests a frame when a session's signals change, without React renders or allocations.
 * @returns a function that stops this.
 */
export function connectScene(
  session: SceneSource,
  renderer: SliceRenderer,
  composer: Composer,
): () => void {
  const show = (type: ViewerType, flags: ReadonlySignal<Uint8Array>) =>
    effect(() => {
      const isShown = flags.value;
      for (let value = 1; value < TABLE_SIZE; value++) {
        composer.setVisible(type, value, isShown[value] === 1);
      }
      renderer.invalidate();
    });
  const stops = [
    effect(() => {
      void session.type.value;
      void session.isOutlined.value;
      void session.scale.value;
      for (const type of VIEWER_TYPES) {
        void session.overlays[type].isVisible.value;
        void session.overlays[type].opacityPercent.value;
      }
      renderer.invalidate();
    }),
    effect(() => {
      void session.windowWidth.value;
      void session.windowLevel.value;
      renderer.invalidate();
    }),
    effect(() => {
      void session.layout;
      renderer.invalidate();
    }),
    effect(() => {
      void session.convention.value;
      renderer.invalidateMarks();
    }),
    effect(() => {
      void session.isCrosshairVisible.value;
      void session.moves.value;
      renderer.invalidateLines();
    }),
    show("parcellation", session.shownRegions),
    show("corticalThickness", session.shownThickness),
    show("wmh", session.shownLesions),
  ];
  return () => stops.forEach((stop) => stop());
}
