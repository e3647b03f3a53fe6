// Longer than 400 lines: the signals of an open viewer, which all parts of the viewer read,
// and the actions that change several of these signals.
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-react";
import { presentError } from "@/client/notices/present_error.ts";
import { type PageScale, pageWindow, scaleOf, type Scales } from "@/viewer/session/scales.ts";
import { pageLanguage } from "@/client/page/language.ts";
import { nextTask } from "@/client/page/next_task.ts";
import { throttle } from "@/client/throttle.ts";
import { AppError, type ErrorCode } from "@/model/errors.ts";
import { affineFromRowMajor, type Vec3 } from "@/model/geometry.ts";
import type { Hanging } from "@/model/schema/reading/hanging.ts";
import type { ViewerVolume } from "@/model/schema/studies/viewer_files.ts";
import { textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import type { FirstField } from "@/model/viewer/first_picture.ts";
import type { ToolState } from "@/viewer/session/tool_state.ts";
import type { ViewerPatient } from "@/model/viewer/viewer_patient.ts";
import { tabRefusal } from "@/model/viewer/viewer_tabs.ts";
import { OverlayState } from "@/viewer/session/overlays.ts";
import { connectScene, sceneOf } from "@/viewer/session/scene_binding.ts";
import { VolumeStore } from "@/viewer/session/volumes.ts";
import {
  canvasChoice,
  choosePresenter,
  forcedPresenter,
  PRESENTER_SETTING,
  type PresenterChoice,
} from "@/viewer/slices/choose_presenter.ts";
import type { PresenterKind } from "@/viewer/slices/presenter.ts";
import { type Composer, LAYERS, type Slot } from "@/viewer/slices/compose.ts";
import { drawMissing } from "@/viewer/slices/marks/missing.ts";
import { affineRow, type Grid, gridOf } from "@/viewer/grid.ts";
import {
  type CompareLayout,
  type Division,
  type LayoutState,
  type PaneName,
  panesToLoad,
  type SmallPanes,
  zoomTo,
} from "@/viewer/layout.ts";
import { headBox } from "@/viewer/slices/head_box.ts";
import type { Measurement } from "@/viewer/slices/marks/measure.ts";
import { labelAt } from "@/viewer/slices/marks/pick.ts";
import {
  type Convention,
  DEFAULT_WINDOW,
  type Plane,
  resetPlace,
  type Scene,
  scrollSlices,
  setField,
  type ViewerType,
} from "@/viewer/scene.ts";
import { type DrawOver, SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import type { CameraView } from "@/viewer/surface/camera.ts";

/** Margin around the labelled brain in the initial view, for skull and scalp. */
export const HEAD_MARGIN_MM = 16;

/**
 * Interval in ms between two frames, and between two progress updates, while volumes are loading.
 */
const LOADING_FRAME_MS = 100;

/** State of the tab's volumes: loading, drawn, or failed. */
export type LoadState =
  | { kind: "loading"; receivedBytes: number; totalBytes: number | null }
  | { kind: "loaded" }
  | { kind: "failed"; code: ErrorCode; isMemoryShort: boolean };

/** Study fields that a correction changes. */
type CorrectedResults = Pick<
  ViewerPatient,
  | "t1_result"
  | "aggregates"
  | "wm"
  | "wmh"
  | "deep_wmh"
  | "peri_wmh"
  | "wmh_detail"
  | "threshold_list"
  | "t1w_mask_file"
  | "t2w_mask_file"
>;

/** Images with a window that is separate from the study's, in units of the images' bytes. */
export interface Windowed {
  windowWidth: Signal<number>;
  windowLevel: Signal<number>;
  /** Mapping from bytes to original values; `null` when unknown. */
  scale: ReadonlySignal<PageScale | null>;
  setWindow(width: number, level: number): void;
}

const said = (key: "sliceMissing" | "overlayMissing"): string =>
  textIn(viewerText[key], pageLanguage());

const STARTING: LoadState = { kind: "loading", receivedBytes: 0, totalBytes: null };

/**
 * One open viewer: signals and actions. Controls write signals, the scene reads them, and effects
 * (scene_binding.ts) request frames from the renderer, without React.
 */
export class ViewerSession extends OverlayState {
  readonly grid: Grid;
  readonly scene: Scene;
  readonly loading = signal<LoadState>(STARTING);
  /**
   * Whether kernel and renderer exist, so that panes can be attached.
   * Volumes may not be loaded yet.
   */
  readonly isReady = signal(false);

  readonly division = signal<Division>(4);
  /** Priority parts of the brain (D1 §2), which are listed first. */
  readonly priority = signal<ReadonlySet<string>>(new Set());
  readonly smallPanes = signal<SmallPanes>("stacked");
  readonly large = signal<Plane>("axial");
  readonly fullPane = signal<PaneName | null>(null);
  readonly isWmhOnly = signal(false);
  readonly isPanelOpen = signal(true);

  /** Position of the 3D pane's camera; `null` for the initial position. */
  readonly cameraView = signal<CameraView | null>(null);
  /** Label selected in the list, on a slice or on the surface; 0 for none. */
  readonly selected = signal(0);

  readonly windowWidth = signal<number>(DEFAULT_WINDOW.width);
  readonly windowLevel = signal<number>(DEFAULT_WINDOW.level);
  /** Images that the window tools control: the study, or compared images. */
  readonly windowed = signal<Windowed>(this);
  readonly convention = signal<Convention>("radiological");
  readonly isCrosshairVisible = signal(true);
  readonly activePane = signal<Plane>("axial");
  readonly isHelpOpen = signal(false);
  /** Incremented when the crosshair moves; `scene.crosshairMm` has the position. */
  readonly moves = signal(0);
  readonly presenter = signal<PresenterChoice | null>(null);
  /** Incremented when a pane's zoom or pan changes; both are in `scene.views`. */
  readonly viewChanges = signal(0);
  /** Measurements on the slices; the last one may be unfinished. */
  readonly measurements: Signal<readonly Measurement[]> = signal([]);
  /** State of the tools; its code is loaded after the first picture. */
  readonly tools: Signal<ToolState | null> = signal(null);
  /** Whether the panel with measurements and corrections is open. */
  readonly isReadingOpen = signal(false);
  /** Whether compared images are shown. */
  readonly isComparing = signal(false);
  /** The user's hanging protocol; `null` until loaded. */
  readonly hanging: Signal<Hanging | null> = signal(null);
  /**
   * Study number with which the viewer starts a comparison.
   * `rule`: compares the images that the hanging protocol selects.
   */
  compareWith: string | null = null;
  /** Arrangement of compared images; `null` without a comparison. */
  readonly compareLayout: Signal<CompareLayout | null> = signal(null);
  /** Rescaling of the current tab's images to original values; `null` if unknown. */
  readonly scale = computed(() => scaleOf(this.scales, this.type.value));
  /** Plane that the mosaic shows; `null` while no mosaic is open. */
  readonly mosaic = signal<Plane | null>(null);
  /** Planes with panes that are covered by a server-rendered picture. */
  readonly pictured = signal<ReadonlySet<Plane>>(new Set());
  /** Number of slices in the mosaic. */
  readonly mosaicCount = signal<number>(20);

  renderer: SliceRenderer | null = null;
  composer: Composer | null = null;
  /**
   * Called for each slice pane that has rendered its first frame of a tab (D2 §4: viewer-loaded).
   */
  onPaneLoaded: (plane: Plane) => void = () => {};
  /** Called after a reset of the view. */
  onReset: () => void = () => {};
  /** Updates the page's address immediately, while the address follows the view. */
  writeAddress: () => void = () => {};
  readonly #volumes: VolumeStore;
  readonly scales: Scales;
  readonly #windows: Record<"t1w" | "flair", { width: number; level: number }>;
  #isFitted = false;
  #stops: (() => void)[] = [];
  #abort = new AbortController();

  constructor(
    patient: ViewerPatient,
    volume: ViewerVolume,
    readonly titleOf: (plane: Plane) => string,
    measured: readonly Measurement[] = [],
  ) {
    super(patient);
    this.grid = gridOf([...volume.shape], affineFromRowMajor<"Ras", "Ijk">(volume.affine));
    this.scene = sceneOf(this.grid, this);
    this.#volumes = new VolumeStore(patient, this.grid.shape);
    this.scales = volume.scales ?? { t1: null, t2: null };
    this.#windows = { t1w: pageWindow(this.scales.t1), flair: pageWindow(this.scales.t2) };
    this.setWindow(this.startWindow.width, this.startWindow.level);
    this.measurements.value = measured;
  }

  /** Initial window of the tab's images: from the image headers, otherwise the full byte range. */
  get startWindow(): { width: number; level: number } {
    return pageWindow(scaleOf(this.scales, this.type.peek()));
  }

  get pid(): number {
    return this.patient.pid;
  }

  /** The compiled kernels. @throws {AppError} when loading fails. */
  kernels(): Promise<WebAssembly.Module> {
    return this.#volumes.kernels();
  }

  /** Inputs of the panes' layout. */
  get layout(): LayoutState {
    return {
      type: this.type.value,
      division: this.division.value,
      smallPanes: this.smallPanes.value,
      large: this.large.value,
      full: this.fullPane.value,
      isWmhOnly: this.isWmhOnly.value,
      compare: this.compareLayout.value,
    };
  }

  /**
   * Loads the missing volumes of the tab and draws the tab; stores a failure in `loading`.
   * Can be repeated after a failure.
   */
  async load(): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.loading.value = STARTING;
    try {
      // loading and first frames start before the remaining initialisation
      const arriving = this.#volumes.load(this.type.peek(), {
        onProgress: throttle(LOADING_FRAME_MS, (receivedBytes, totalBytes) => {
          if (signal.aborted) return;
          this.loading.value = { kind: "loading", receivedBytes, totalBytes };
        }),
        onSlices: () => this.renderer?.invalidateOften(),
        onVolume: (slot) => this.#fitField(slot),
      }, this.voxelAtCrosshair[2]);
      arriving.catch(() => {/* reported below */});
      // each initialisation step is a separate task, so that no step blocks the page
      const opening = this.#volumes.open();
      opening.catch(() => {/* reported below */});
      await nextTask();
      const forced = forcedPresenter(location.search, localStorage.getItem(PRESENTER_SETTING));
      const choice = this.presenter.peek() ?? await choosePresenter(forced);
      const composer = await opening;
      await nextTask();
      if (signal.aborted) return;
      this.#start(choice, composer);
      await arriving;
      if (signal.aborted) return;
      this.#untilDrawn(signal);
    } catch (error) {
      if (signal.aborted) return;
      // volumes of this tab that arrive later no longer count as progress
      this.#abort.abort();
      const appError = error instanceof AppError ? error : null;
      this.loading.value = {
        kind: "failed",
        code: appError?.code ?? "internal",
        isMemoryShort: appError?.details.reason === "viewer.volume_size" ||
          error instanceof RangeError,
      };
    }
  }

  /** Switches the presenter on this computer; `null`: automatic selection. */
  async setPresenter(forced: PresenterKind | null): Promise<void> {
    localStorage.setItem(PRESENTER_SETTING, forced ?? "");
    const choice = await choosePresenter(forced);
    if (!this.renderer) return;
    this.presenter.value = choice;
    this.renderer.present(choice.create);
  }

  /** Creates the renderer of the viewer, once. */
  #start(choice: PresenterChoice, composer: Composer): void {
    if (this.renderer) return;
    this.composer = composer;
    this.renderer = new SliceRenderer(this.grid, composer, this.scene, choice.create, this.titleOf);
    this.renderer.cover = this.coverMissing;
    this.renderer.onLost = () => {
      const { renderer = "" } = this.presenter.peek() ?? {};
      this.presenter.value = canvasChoice("context lost", renderer);
    };
    this.#stops.push(connectScene(this, this.renderer, composer));
    batch(() => {
      this.presenter.value = choice;
      this.isReady.value = true;
      this.moves.value++;
    });
  }

  /**
   * Fits the view to the head instead of the air around the head.
   * Called only once, and never after an action of the user.
   */
  #fitField(loaded: Slot): void {
    const { bounds: labelled, composer } = this.#volumes;
    // without labels, the head is located in the image itself
    const isImage = loaded === "flair" || this.patient.blinded === "images" && loaded === "t1w";
    const box = labelled ??
      (isImage && composer ? headBox(composer.volume(loaded), this.grid.shape) : null);
    if (this.#isFitted || !box) return;
    this.#isFitted = true;
    setField(this.scene, this.grid, box, labelled ? HEAD_MARGIN_MM : 0);
    this.renderer?.invalidate();
  }

  /** Marks panes as covered by server-rendered pictures, which show the same field of view. */
  cover(planes: readonly Plane[], field: FirstField | null): void {
    this.pictured.value = new Set(planes);
    if (field === null) return;
    this.#isFitted = true;
    setField(this.scene, this.grid, field.bounds, field.marginMm);
  }

  /** Removes the server-rendered picture of a pane, or of all panes. */
  uncover(plane?: Plane): void {
    const covered = this.pictured.peek();
    if (plane === undefined ? covered.size === 0 : !covered.has(plane)) return;
    this.pictured.value = new Set(
      plane === undefined ? [] : [...covered].filter((each) => each !== plane),
    );
  }

  /** Waits for the first frame of each pane, after which the viewer counts as loaded. */
  #untilDrawn(signal: AbortSignal): void {
    const { renderer } = this;
    if (!renderer) return;
    if (panesToLoad(this.layout) === 0) this.loading.value = { kind: "loaded" };
    const drawn = new Set<Plane>();
    renderer.onDrawn = (plane) => {
      // the user has opened another tab in the meantime
      if (signal.aborted || drawn.has(plane)) return;
      this.uncover(plane);
      drawn.add(plane);
      this.onPaneLoaded(plane);
      if (drawn.size < panesToLoad(this.layout)) return;
      this.loading.value = { kind: "loaded" };
    };
    renderer.invalidate();
  }

  /** Stops all activities and frees the memory. */
  close(): void {
    this.#abort.abort();
    for (const stop of this.#stops.splice(0)) stop();
    this.renderer?.close();
    this.#volumes.forget();
    this.renderer = this.composer = null;
    this.isReady.value = false;
  }

  /** Opens a tab that has data; the tab's volumes are loaded on first use. */
  open(type: ViewerType): void {
    if (type === this.type.peek() || tabRefusal(this.patient, type) !== null) return;
    const base = (of: ViewerType) => this.#windows[of === "wmh" ? "flair" : "t1w"];
    Object.assign(base(this.type.peek()), {
      width: this.windowWidth.peek(),
      level: this.windowLevel.peek(),
    });
    batch(() => {
      this.type.value = type;
      this.fullPane.value = null;
      this.setWindow(base(type).width, base(type).level);
    });
    if (!this.#volumes.has(type)) return void this.load();
    this.#abort.abort();
    this.loading.value = { kind: "loaded" };
  }

  /** Whether a volume is completely in memory. */
  isWhole(slot: Slot): boolean {
    return this.#volumes.arrived(slot).isWhole;
  }

  /** Resolves when a volume of the current tab is loaded. @throws {AppError} when loading fails. */
  whole(slot: Slot): Promise<void> {
    return this.#volumes.whole(slot);
  }

  /** Whether the slice of a voxel has been downloaded for every volume of the current tab. */
  isThere(ijk: ArrayLike<number>): boolean {
    return this.#volumes.isThere(this.type.peek(), ijk[2]!);
  }

  /** Covers the parts of a pane that have not arrived, with a text that names them. */
  readonly coverMissing: DrawOver = (context, mapping, ratio) => {
    const type = this.type.peek(), base = this.#volumes.arrived(LAYERS[type].base);
    const isVisible = this.overlays[type].isVisible.peek();
    const overlay = isVisible ? this.#volumes.arrived(LAYERS[type].overlay) : null;
    if (base.isWhole && (overlay === null || overlay.isWhole)) return;
    drawMissing(context, mapping, {
      base,
      overlay,
      size: this.grid.shape[2],
      ratio,
      words: { slice: said("sliceMissing"), overlay: said("overlayMissing") },
    });
  };

  /** Value of a volume at a voxel; 0 outside, and before the volume is loaded. */
  valueAt(slot: Slot, ijk: ArrayLike<number>): number {
    if (!this.composer?.has(slot)) return 0;
    return labelAt(this.composer.volume(slot), this.grid, ijk[0]!, ijk[1]!, ijk[2]!);
  }

  /** Voxel nearest to the crosshair. */
  get voxelAtCrosshair(): Vec3 {
    const index = (axis: number) =>
      Math.floor(affineRow(this.grid.ijkFromRas, axis, this.scene.crosshairMm) + 0.5);
    return [index(0), index(1), index(2)];
  }

  /** Label at the crosshair; 0 outside the regions and before the volumes are loaded. */
  get labelAtCrosshair(): number {
    return this.valueAt("labels", this.voxelAtCrosshair);
  }

  /** Selects the region at the crosshair; outside all regions the selection is unchanged. */
  selectAtCrosshair(): void {
    this.selected.value = this.labelAtCrosshair || this.selected.peek();
  }

  /** Informs all subscribers that `scene.crosshairMm` was changed. */
  crosshairMoved(): void {
    this.moves.value++;
  }

  /** Informs all subscribers that a pane's zoom or pan was changed. */
  viewChanged(plane: Plane): void {
    this.viewChanges.value++;
    this.renderer?.invalidate(plane);
  }

  /** Moves the crosshair by slices of a plane of a grid: the study's own, or an oblique one. */
  scroll(plane: Plane, slices: number, grid: Grid = this.grid): void {
    const previousMm = [...this.scene.crosshairMm];
    scrollSlices(this.scene, grid, plane, slices);
    if (grid === this.grid || this.#isInside(this.scene.crosshairMm)) this.crosshairMoved();
    else this.scene.crosshairMm.set(previousMm);
  }

  /** Moves the crosshair by mm along a RAS axis, within the volume. */
  nudge(ras: number, mm: number): void {
    const { crosshairMm } = this.scene;
    const previousMm = crosshairMm[ras]!;
    crosshairMm[ras] = previousMm + mm;
    if (this.#isInside(crosshairMm)) this.crosshairMoved();
    else crosshairMm[ras] = previousMm;
  }

  /** Moves the crosshair to a position in RAS mm. @returns false outside the volume. */
  goToMm(rasMm: ArrayLike<number>): boolean {
    if (!this.#isInside(rasMm)) return false;
    this.scene.crosshairMm.set(rasMm);
    this.crosshairMoved();
    return true;
  }

  /** Toggles between one large pane of the FLAIR with lesions, and all panes. */
  toggleWmhOnly(): void {
    this.isWmhOnly.value = !this.isWmhOnly.peek();
    if (this.isWmhOnly.peek()) this.showLesions();
  }

  /**
   * Moves the crosshair into the middle of a region and selects the region.
   * @returns false if the label map does not contain the region.
   */
  goTo(label: number): boolean {
    this.selected.value = label;
    const index = this.#volumes.centres?.[label] ?? 0xffffffff;
    if (index === 0xffffffff) return false;
    const [nx, ny] = this.grid.shape;
    const ijk = [index % nx, Math.floor(index / nx) % ny, Math.floor(index / (nx * ny))];
    return this.goToMm([0, 1, 2].map((r) => affineRow(this.grid.rasFromIjk, r, ijk)));
  }

  #isInside(rasMm: ArrayLike<number>): boolean {
    return this.grid.shape.every((n, axis) => {
      const index = Math.floor(affineRow(this.grid.ijkFromRas, axis, rasMm) + 0.5);
      return index >= 0 && index < n;
    });
  }

  setWindow(
    this: Pick<Windowed, "windowWidth" | "windowLevel">,
    width: number,
    level: number,
  ): void {
    batch(() => {
      this.windowWidth.value = Math.min(Math.max(width, 1), 1024);
      this.windowLevel.value = Math.min(Math.max(level, -256), 512);
    });
  }

  /** Changes width and level of the window that the tools control. */
  dragWindow(width: number, level: number): void {
    const windowed = this.windowed.peek();
    windowed.setWindow(windowed.windowWidth.peek() + width, windowed.windowLevel.peek() + level);
  }

  /** Resets position, zoom, pan and window; overlays, convention and panes are unchanged. */
  reset(): void {
    resetPlace(this.scene, this.grid);
    this.setWindow(this.startWindow.width, this.startWindow.level);
    this.crosshairMoved();
    this.viewChanges.value++;
    this.onReset();
    this.renderer?.invalidate();
  }

  /** Shows a study's results after a correction. */
  takeResults(now: CorrectedResults): void {
    const { t1_result, aggregates, wm, wmh, deep_wmh, peri_wmh, wmh_detail, threshold_list } = now;
    const { t1w_mask_file, t2w_mask_file } = now;
    const results = {
      t1_result,
      aggregates,
      wm,
      wmh,
      deep_wmh,
      peri_wmh,
      wmh_detail,
      threshold_list,
    };
    Object.assign(this.patient, results, { t1w_mask_file, t2w_mask_file });
    this.resultChanges.value++;
  }

  /**
   * Called after the study was reloaded. The corrections panel updates itself,
   * because strokes of this page may still be in transit.
   */
  readonly follow = (now: CorrectedResults): void => {
    if (!this.isReadingOpen.peek()) this.takeCorrection(now).catch(presentError);
  };

  /**
   * Does {@link takeResults}, and reloads label maps that another user corrected.
   * @throws {AppError} as {@link reload}.
   */
  async takeCorrection(now: CorrectedResults): Promise<void> {
    const { t1w_mask_file, t2w_mask_file } = this.patient;
    this.takeResults(now);
    if (now.t1w_mask_file !== t1w_mask_file) await this.reload("labels");
    if (now.t2w_mask_file !== t2w_mask_file) await this.reload("lesions");
  }

  /** Reloads a volume that has changed. @throws {AppError} as {@link VolumeStore.load}. */
  async reload(slot: Slot): Promise<void> {
    await this.#volumes.reload(slot);
    this.renderer?.invalidate();
  }

  /** Enlarges or reduces a pane; in division 3, swaps the pane with the large pane. */
  zoom(pane: PaneName): void {
    const { large, full } = zoomTo(this.layout, pane);
    batch(() => {
      this.large.value = large;
      this.fullPane.value = full;
    });
  }
}
