// Over 400 lines: the signals of one open viewer, which everything around it reads, and the writes
// that need several of them.
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-react";
import { presentError } from "@/client/notices/present_error.ts";
import { type PageScale, pageWindow, scaleOf, type Scales } from "@/viewer/session/scales.ts";
import { nextTask } from "@/client/page/next_task.ts";
import { throttle } from "@/client/throttle.ts";
import { AppError, type ErrorCode } from "@/model/errors.ts";
import { affineFromRowMajor, type Vec3 } from "@/model/geometry.ts";
import type { Hanging } from "@/model/schema/reading/hanging.ts";
import type { ViewerVolume } from "@/model/schema/studies/viewer_files.ts";
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
import type { Composer, Slot } from "@/viewer/slices/compose.ts";
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
import { SliceRenderer } from "@/viewer/slices/slice_renderer.ts";
import type { CameraView } from "@/viewer/surface/camera.ts";

/** Skull and scalp around the labelled brain that the first view shows too. */
export const HEAD_MARGIN_MM = 16;

/**
 * Time between two pictures, and two figures of the progress, while volumes arrive: the rest of the
 * time is theirs.
 */
const LOADING_FRAME_MS = 100;

/** The tab's volumes: on their way, there and drawn, or not to be had. */
export type LoadState =
  | { kind: "loading"; receivedBytes: number; totalBytes: number | null }
  | { kind: "loaded" }
  | { kind: "failed"; code: ErrorCode; isMemoryShort: boolean };

/** Fields that a correction changes. */
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

/** Images with a window of their own, in units of their bytes. */
export interface Windowed {
  windowWidth: Signal<number>;
  windowLevel: Signal<number>;
  /** How the images' own values follow from the bytes; `null` where that is not known. */
  scale: ReadonlySignal<PageScale | null>;
  setWindow(width: number, level: number): void;
}

const STARTING: LoadState = { kind: "loading", receivedBytes: 0, totalBytes: null };

/**
 * One open viewer: its signals and actions. Controls write signals, which the scene reads; effects
 * (scene_binding.ts) ask the renderer for a frame, without React.
 */
export class ViewerSession extends OverlayState {
  readonly grid: Grid;
  readonly scene: Scene;
  readonly loading = signal<LoadState>(STARTING);
  /**
   * The kernel and the renderer exist: panes can be attached, whether or not their volumes are
   * there.
   */
  readonly isReady = signal(false);

  readonly division = signal<Division>(4);
  /** Parts that come first in the list. */
  readonly priority = signal<ReadonlySet<string>>(new Set());
  readonly smallPanes = signal<SmallPanes>("stacked");
  readonly large = signal<Plane>("axial");
  readonly fullPane = signal<PaneName | null>(null);
  readonly isWmhOnly = signal(false);
  readonly isPanelOpen = signal(true);

  /** Where the camera of the 3D pane is; `null` at its start. */
  readonly cameraView = signal<CameraView | null>(null);
  /** Label chosen in the list, on a slice or on the surface; 0 when none is. */
  readonly selected = signal(0);

  readonly windowWidth = signal<number>(DEFAULT_WINDOW.width);
  readonly windowLevel = signal<number>(DEFAULT_WINDOW.level);
  /** Target of the window tools: the study, or images beside it. */
  readonly windowed = signal<Windowed>(this);
  readonly convention = signal<Convention>("radiological");
  readonly isCrosshairVisible = signal(true);
  readonly activePane = signal<Plane>("axial");
  readonly isHelpOpen = signal(false);
  /** Grows with every move of the crosshair; its position is in `scene.crosshairMm`. */
  readonly moves = signal(0);
  readonly presenter = signal<PresenterChoice | null>(null);
  /** Grows with every change of a pane's zoom or pan, which are in `scene.views`. */
  readonly viewChanges = signal(0);
  /** Measurements on the slices; the last one may be unfinished. */
  readonly measurements: Signal<readonly Measurement[]> = signal([]);
  /** Settings of the tools; loaded after the first picture. */
  readonly tools: Signal<ToolState | null> = signal(null);
  /** The list of measurements and corrections is shown beside the panes. */
  readonly isReadingOpen = signal(false);
  /** Other images stand beside the study's. */
  readonly isComparing = signal(false);
  /** How the reader's viewer opens; `null` until the page has said it. */
  readonly hanging: Signal<Hanging | null> = signal(null);
  /**
   * Number of the study that the page was opened with, or `rule`: those images that the hanging
   * rule names.
   */
  compareWith: string | null = null;
  /** How the panes share the room with those; `null` without any. */
  readonly compareLayout: Signal<CompareLayout | null> = signal(null);
  /** Maps the bytes of the open tab's images to the series' own values; `null` if unknown. */
  readonly scale = computed(() => scaleOf(this.scales, this.type.value));
  /** Plane of the mosaic on the screen; `null` when there is none. */
  readonly mosaic = signal<Plane | null>(null);
  /** Planes of the panes that a picture of the page covers. */
  readonly pictured = signal<ReadonlySet<Plane>>(new Set());
  /** Slices of the mosaic. */
  readonly mosaicCount = signal<number>(20);

  renderer: SliceRenderer | null = null;
  composer: Composer | null = null;
  /** Receives every slice pane that has drawn its first frame of a tab (D2 §4: viewer-loaded). */
  onPaneLoaded: (plane: Plane) => void = () => {};
  /** Called after a reset of the view. */
  onReset: () => void = () => {};
  /** Brings the page's address to the view at once, while it follows it. */
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

  /** Initial window of the open tab's images: from their headers, else all of their bytes. */
  get startWindow(): { width: number; level: number } {
    return pageWindow(scaleOf(this.scales, this.type.peek()));
  }

  get pid(): number {
    return this.patient.pid;
  }

  /** The kernels, compiled. @throws {AppError} when they cannot be had. */
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
   * Loads the missing volumes of the tab, and draws it; a failure ends in `loading`. May be called
   * again after one.
   */
  async load(): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.loading.value = STARTING;
    try {
      // files travel, and the panes fill, while the rest starts
      const arriving = this.#volumes.load(this.type.peek(), {
        onProgress: throttle(LOADING_FRAME_MS, (receivedBytes, totalBytes) => {
          if (signal.aborted) return;
          this.loading.value = { kind: "loading", receivedBytes, totalBytes };
        }),
        onSlices: throttle(LOADING_FRAME_MS, () => this.renderer?.invalidate()),
        onVolume: (slot) => this.#fitField(slot),
      });
      arriving.catch(() => {/* said below */});
      // steps of the start are tasks of their own: none of them may hold up the page
      const opening = this.#volumes.open();
      opening.catch(() => {/* said below */});
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
      // later arrivals of this tab no longer count as progress
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

  /**
   * Draws through another presenter from now on, on this computer; `null` lets the viewer choose.
   */
  async setPresenter(forced: PresenterKind | null): Promise<void> {
    localStorage.setItem(PRESENTER_SETTING, forced ?? "");
    const choice = await choosePresenter(forced);
    if (!this.renderer) return;
    this.presenter.value = choice;
    this.renderer.present(choice.create);
  }

  /** Makes the renderer, once. */
  #start(choice: PresenterChoice, composer: Composer): void {
    if (this.renderer) return;
    this.composer = composer;
    this.renderer = new SliceRenderer(this.grid, composer, this.scene, choice.create, this.titleOf);
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
   * At zoom 1 the panes show the head, not all the air around it. Once, and never under the
   * reader's hands.
   */
  #fitField(loaded: Slot): void {
    const { bounds: labelled, composer } = this.#volumes;
    const box = labelled ??
      (loaded === "flair" && composer ? headBox(composer.volume("flair"), this.grid.shape) : null);
    if (this.#isFitted || !box) return;
    this.#isFitted = true;
    setField(this.scene, this.grid, box, labelled ? HEAD_MARGIN_MM : 0);
    this.renderer?.invalidate();
  }

  /** The pictures that came with the page cover these panes, which show the same field. */
  cover(planes: readonly Plane[], field: FirstField | null): void {
    this.pictured.value = new Set(planes);
    if (field === null) return;
    this.#isFitted = true;
    setField(this.scene, this.grid, field.bounds, field.marginMm);
  }

  /** Shows a pane, or all of them, instead of its picture. */
  uncover(plane?: Plane): void {
    const covered = this.pictured.peek();
    if (plane === undefined ? covered.size === 0 : !covered.has(plane)) return;
    this.pictured.value = new Set(
      plane === undefined ? [] : [...covered].filter((each) => each !== plane),
    );
  }

  /** Waits for the panes' first frames and reports each; then the viewer counts as loaded. */
  #untilDrawn(signal: AbortSignal): void {
    const { renderer } = this;
    if (!renderer) return;
    if (panesToLoad(this.layout) === 0) this.loading.value = { kind: "loaded" };
    const drawn = new Set<Plane>();
    renderer.onDrawn = (plane) => {
      // another tab is open by now
      if (signal.aborted || drawn.has(plane)) return;
      this.uncover(plane);
      drawn.add(plane);
      this.onPaneLoaded(plane);
      if (drawn.size < panesToLoad(this.layout)) return;
      this.loading.value = { kind: "loaded" };
    };
    renderer.invalidate();
  }

  /** Stops everything and gives the memory back. */
  close(): void {
    this.#abort.abort();
    for (const stop of this.#stops.splice(0)) stop();
    this.renderer?.close();
    this.#volumes.forget();
    this.renderer = this.composer = null;
    this.isReady.value = false;
  }

  /** Opens a tab that has data; its volumes are loaded when it is opened for the first time. */
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

  /** Value of a volume at a voxel; 0 outside, and while the volume is not there. */
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

  /** Label at the crosshair; 0 outside the regions and before the volumes are there. */
  get labelAtCrosshair(): number {
    return this.valueAt("labels", this.voxelAtCrosshair);
  }

  /** Selects the region at the crosshair; outside of all regions the selection stays. */
  selectAtCrosshair(): void {
    this.selected.value = this.labelAtCrosshair || this.selected.peek();
  }

  /** Says that `scene.crosshairMm` was written. */
  crosshairMoved(): void {
    this.moves.value++;
  }

  /** Says that a pane's zoom or pan was written. */
  viewChanged(plane: Plane): void {
    this.viewChanges.value++;
    this.renderer?.invalidate(plane);
  }

  /**
   * Moves the crosshair by slices of a plane of a grid: the study's own, or one that is oblique to
   * it.
   */
  scroll(plane: Plane, slices: number, grid: Grid = this.grid): void {
    const previousMm = [...this.scene.crosshairMm];
    scrollSlices(this.scene, grid, plane, slices);
    if (grid === this.grid || this.#isInside(this.scene.crosshairMm)) this.crosshairMoved();
    else this.scene.crosshairMm.set(previousMm);
  }

  /** Moves the crosshair by mm along a RAS axis, as far as the volume goes. */
  nudge(ras: number, mm: number): void {
    const { crosshairMm } = this.scene;
    const previousMm = crosshairMm[ras]!;
    crosshairMm[ras] = previousMm + mm;
    if (this.#isInside(crosshairMm)) this.crosshairMoved();
    else crosshairMm[ras] = previousMm;
  }

  /** Moves the crosshair to a position in RAS mm; false when it is outside the volume. */
  goToMm(rasMm: ArrayLike<number>): boolean {
    if (!this.#isInside(rasMm)) return false;
    this.scene.crosshairMm.set(rasMm);
    this.crosshairMoved();
    return true;
  }

  /** Shows one large pane of the FLAIR with its lesions, or all panes again. */
  toggleWmhOnly(): void {
    this.isWmhOnly.value = !this.isWmhOnly.peek();
    if (this.isWmhOnly.peek()) this.showLesions();
  }

  /**
   * Moves the crosshair into the middle of a region and selects it; false when the label map has
   * none of it.
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

  /** Widens and raises the window that is set. */
  dragWindow(width: number, level: number): void {
    const windowed = this.windowed.peek();
    windowed.setWindow(windowed.windowWidth.peek() + width, windowed.windowLevel.peek() + level);
  }

  /** Position, zoom, pan and window as at the start; overlays, convention and panes stay. */
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
   * The study was read again. The panel of corrections follows by itself: its own strokes may be on
   * their way.
   */
  readonly follow = (now: CorrectedResults): void => {
    if (!this.isReadingOpen.peek()) this.takeCorrection(now).catch(presentError);
  };

  /**
   * {@link takeResults}, with the maps: another user corrected them. @throws {AppError} as {@link
   * reload}.
   */
  async takeCorrection(now: CorrectedResults): Promise<void> {
    const { t1w_mask_file, t2w_mask_file } = this.patient;
    this.takeResults(now);
    if (now.t1w_mask_file !== t1w_mask_file) await this.reload("labels");
    if (now.t2w_mask_file !== t2w_mask_file) await this.reload("lesions");
  }

  /** Loads a volume again that is another now. @throws {AppError} as {@link VolumeStore.load}. */
  async reload(slot: Slot): Promise<void> {
    await this.#volumes.reload(slot);
    this.renderer?.invalidate();
  }

  /** Gives a pane the room, or the large place of division 3, and back. */
  zoom(pane: PaneName): void {
    const { large, full } = zoomTo(this.layout, pane);
    batch(() => {
      this.large.value = large;
      this.fullPane.value = full;
    });
  }
}
