import { batch, effect, signal } from "@preact/signals-react";
import { loadVolumes, type VolumeFiles } from "@/client/kernels/client.ts";
import { AppError, type ErrorCode } from "@/model/errors.ts";
import { affineFromRowMajor } from "@/model/geometry.ts";
import { LABEL_COUNT, REGIONS } from "@/model/regions.ts";
import type { ViewerVolume } from "@/model/schema/patients.ts";
import { choosePresenter, forcedPresenter, type PresenterChoice } from "@/viewer/choose_presenter.ts";
import { createComposer } from "@/viewer/compose.ts";
import { affineRow, type Grid, gridOf } from "@/viewer/grid.ts";
import { labelAtMm } from "@/viewer/pick.ts";
import {
  type Convention,
  createScene,
  DEFAULT_WINDOW,
  type Plane,
  resetView,
  type Scene,
  scrollSlices,
  setField,
} from "@/viewer/scene.ts";
import { SliceRenderer } from "@/viewer/slice_renderer.ts";
import type { PercentileBasis } from "@/components/viewer/region_facts.ts";

/** Skull and scalp around the labelled brain that the first view shows too. */
const HEAD_MARGIN_MM = 16;

export type LoadState =
  | { kind: "loading"; fraction: number }
  | { kind: "loaded" }
  | { kind: "failed"; code: ErrorCode };

/**
 * One open viewer: its signals, and the walk from them to the screen. Controls write signals; an effect carries
 * each into the scene and asks the renderer for a frame, without React.
 */
export class ViewerSession {
  readonly grid: Grid;
  readonly scene: Scene;
  readonly loading = signal<LoadState>({ kind: "loading", fraction: 0 });
  readonly isOverlayVisible = signal(false);
  readonly opacityPercent = signal(100);
  readonly windowWidth = signal<number>(DEFAULT_WINDOW.width);
  readonly windowLevel = signal<number>(DEFAULT_WINDOW.level);
  readonly convention = signal<Convention>("radiological");
  readonly isCrosshairVisible = signal(true);
  readonly hidden = signal<ReadonlySet<number>>(new Set());
  readonly fullPane = signal<Plane | null>(null);
  readonly activePane = signal<Plane>("axial");
  readonly isHelpOpen = signal(false);
  readonly basis = signal<PercentileBasis>("region");
  /** Grows with every move of the crosshair, whose place is in `scene.crosshairMm`. */
  readonly moves = signal(0);
  readonly presenter = signal<PresenterChoice | null>(null);
  renderer: SliceRenderer | null = null;
  #centres: Uint32Array | null = null;
  #stops: (() => void)[] = [];
  #abort = new AbortController();

  constructor(
    readonly pid: number,
    readonly files: VolumeFiles,
    volume: ViewerVolume,
    readonly titleOf: (plane: Plane) => string,
  ) {
    this.grid = gridOf([...volume.shape], affineFromRowMajor<"Ras", "Ijk">(volume.affine));
    this.scene = createScene(this.grid);
  }

  /** Loads and starts drawing; a failure ends in `loading`. May be called again after one. */
  async load(): Promise<void> {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.loading.value = { kind: "loading", fraction: 0 };
    try {
      const [choice, volumes] = await Promise.all([
        choosePresenter(forcedPresenter(location.search)),
        loadVolumes(this.pid, this.files, this.grid.shape, {
          signal,
          onProgress: (fraction) => {
            if (!signal.aborted) this.loading.value = { kind: "loading", fraction };
          },
        }),
      ]);
      if (signal.aborted) return;
      const composer = createComposer(volumes.module, this.grid.shape);
      composer.volume("t1w").set(volumes.base);
      composer.volume("labels").set(volumes.labels);
      this.#centres = volumes.centres;
      if (volumes.bounds) setField(this.scene, this.grid, volumes.bounds, HEAD_MARGIN_MM);
      this.renderer = new SliceRenderer(this.grid, composer, this.scene, choice.create, this.titleOf);
      this.#connect(this.renderer);
      batch(() => {
        this.presenter.value = choice;
        this.loading.value = { kind: "loaded" };
        this.moves.value++;
      });
    } catch (error) {
      if (signal.aborted) return;
      this.loading.value = { kind: "failed", code: error instanceof AppError ? error.code : "internal" };
    }
  }

  /** Stops everything and gives the memory back. */
  close(): void {
    this.#abort.abort();
    for (const stop of this.#stops.splice(0)) stop();
    this.renderer?.close();
    this.renderer = null;
  }

  #connect(renderer: SliceRenderer): void {
    const { scene } = this;
    this.#stops.push(
      effect(() => {
        scene.overlays.parcellation.isVisible = this.isOverlayVisible.value;
        scene.overlays.parcellation.opacityPercent = this.opacityPercent.value;
        renderer.invalidate();
      }),
      effect(() => {
        scene.window.width = this.windowWidth.value;
        scene.window.level = this.windowLevel.value;
        renderer.invalidate();
      }),
      effect(() => {
        scene.convention = this.convention.value;
        renderer.invalidateMarks();
      }),
      effect(() => {
        scene.isCrosshairVisible = this.isCrosshairVisible.value;
        void this.moves.value;
        renderer.invalidateLines();
      }),
      effect(() => {
        const hidden = this.hidden.value;
        for (let label = 1; label < LABEL_COUNT; label++) {
          renderer.composer.setVisible("parcellation", label, !hidden.has(label));
        }
        renderer.invalidate();
      }),
    );
  }

  /** Label at the crosshair; 0 outside the regions and before the volumes are there. */
  get labelAtCrosshair(): number {
    return this.renderer ? labelAtMm(this.renderer.composer.labels, this.grid, this.scene.crosshairMm) : 0;
  }

  /** Says that `scene.crosshairMm` was written. */
  crosshairMoved(): void {
    this.moves.value++;
  }

  scroll(plane: Plane, slices: number): void {
    scrollSlices(this.scene, this.grid, plane, slices);
    this.crosshairMoved();
  }

  /** Moves the crosshair by mm along a RAS axis, as far as the volume goes. */
  nudge(ras: number, mm: number): void {
    const { crosshairMm } = this.scene, { grid } = this;
    const before = crosshairMm[ras]!;
    crosshairMm[ras] = before + mm;
    for (let axis = 0; axis < 3; axis++) {
      const index = Math.floor(affineRow(grid.ijkFromRas, axis, crosshairMm) + 0.5);
      if (index < 0 || index >= grid.shape[axis]!) {
        crosshairMm[ras] = before;
        return;
      }
    }
    this.crosshairMoved();
  }

  /** Moves the crosshair into the middle of a region; false when the label map has none of it. */
  goTo(label: number): boolean {
    const index = this.#centres?.[label] ?? 0xffffffff;
    if (index === 0xffffffff) return false;
    const [nx, ny] = this.grid.shape;
    const ijk = [index % nx, Math.floor(index / nx) % ny, Math.floor(index / (nx * ny))];
    for (let r = 0; r < 3; r++) this.scene.crosshairMm[r] = affineRow(this.grid.rasFromIjk, r, ijk);
    this.crosshairMoved();
    return true;
  }

  /** Hides or shows labels. */
  setHidden(labels: readonly number[], isHidden: boolean): void {
    const next = new Set(this.hidden.value);
    for (const label of labels) isHidden ? next.add(label) : next.delete(label);
    this.hidden.value = next;
  }

  setAllHidden(isHidden: boolean): void {
    this.hidden.value = new Set(isHidden ? REGIONS.map((region) => region.label) : []);
  }

  setOpacity(percent: number): void {
    this.opacityPercent.value = Math.min(Math.max(Math.round(percent), 0), 100);
  }

  setWindow(width: number, level: number): void {
    batch(() => {
      this.windowWidth.value = Math.min(Math.max(width, 1), 1024);
      this.windowLevel.value = Math.min(Math.max(level, -256), 512);
    });
  }

  /** Position, zoom, pan and window as at the start; overlay and convention stay. */
  reset(): void {
    resetView(this.scene, this.grid);
    this.setWindow(DEFAULT_WINDOW.width, DEFAULT_WINDOW.level);
    this.crosshairMoved();
    this.renderer?.invalidate();
  }

  toggleFull(plane: Plane): void {
    this.fullPane.value = this.fullPane.value === plane ? null : plane;
  }
}
