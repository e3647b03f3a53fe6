import { atMostEvery } from "@/viewer/slices/at_most_every.ts";
import { annotate, type Annotation } from "@/viewer/slices/marks/annotate.ts";
import type { Composer } from "@/viewer/slices/compose.ts";
import type { Grid } from "@/viewer/grid.ts";
import { marksOf } from "@/viewer/slices/orientation.ts";
import { createCanvasPresenter } from "@/viewer/slices/present_canvas.ts";
import type { CreatePresenter, Presenter } from "@/viewer/slices/presenter.ts";
import {
  createPaneMapping,
  mapPane,
  type PaneMapping,
  type Plane,
  PLANES,
  type Scene,
} from "@/viewer/scene.ts";

interface Pane {
  host: HTMLElement;
  presenter: Presenter;
  /** context for annotations: of the presenter's canvas, or of a canvas above */
  lines: CanvasRenderingContext2D;
  annotation: Annotation;
  width: number;
  height: number;
  /** whether the pane is visible: a hidden pane is not drawn, and remains marked for redrawing */
  isShown: boolean;
  wasDrawn: boolean;
  observer: ResizeObserver;
}

/** Draws over a pane. `ratio`: device pixels per CSS pixel. */
export type DrawOver = (
  context: CanvasRenderingContext2D,
  mapping: PaneMapping,
  ratio: number,
) => void;

/** Minimum time between two redraws while voxels arrive, ms. */
const ARRIVAL_FRAME_MS = 100;

/** States of a pane: up to date, annotations outdated, or pixels and annotations outdated. */
const CLEAN = 0, LINES = 1, PIXELS = 2;

/**
 * Draws the panes of one scene, at most once per frame, and only changes. A moved crosshair redraws
 * annotations, and pixels only of panes with another slice. Allocates nothing per frame.
 */
export class SliceRenderer {
  readonly #panes = new Map<Plane, Pane>();
  readonly #mappings = new Map(PLANES.map((plane) => [plane, createPaneMapping(plane)]));
  readonly #dirty = new Uint8Array(PLANES.length);
  readonly #shownSlice = new Int32Array(PLANES.length).fill(-2);
  #frame = 0;
  readonly #requestAtTimes = atMostEvery(ARRIVAL_FRAME_MS, () => this.#request());
  #isClosed = false;
  /** Number of composed panes, and time of the last frame in ms; read by benchmarks. */
  composedPanes = 0;
  lastFrameMs = 0;
  /** Draws annotations over the pixels; replaced by tests that compare only pixels. */
  annotate = annotate;
  /** Draws over the pixels and below the annotations: covers parts that have not arrived. */
  cover: DrawOver = () => {};
  #caption = "";
  /** Additional drawing functions: intracranial outline, measurements. Units are device pixels. */
  readonly drawOver = new Set<DrawOver>();
  /** Called for every pane with new pixels. */
  onDrawn: (plane: Plane) => void = () => {};
  /** Called when the GPU was lost and the panes have switched to Canvas2D. */
  onLost: () => void = () => {};

  constructor(
    readonly grid: Grid,
    readonly composer: Composer,
    readonly scene: Scene,
    private createPresenter: CreatePresenter,
    private readonly titleOf: (plane: Plane) => string,
  ) {}

  /** Mapping with which a pane was last drawn. */
  mapping(plane: Plane) {
    return this.#mappings.get(plane)!;
  }

  /** Device pixels per CSS pixel of a pane. */
  ratio(plane: Plane): number {
    const pane = this.#panes.get(plane);
    return pane && pane.host.clientWidth > 0 ? pane.width / pane.host.clientWidth : 1;
  }

  /**
   * Shows a plane in an element by adding canvases; returns a function that removes the canvases.
   */
  attach(plane: Plane, host: HTMLElement): () => void {
    const pane: Pane = {
      host,
      ...this.#layers(host),
      annotation: {
        marks: marksOf(this.grid, plane, this.scene.convention),
        title: "",
        caption: "",
      },
      width: 0,
      height: 0,
      isShown: false,
      wasDrawn: false,
      observer: new ResizeObserver(() => this.#resize(plane)),
    };
    this.#panes.set(plane, pane);
    pane.observer.observe(host);
    if (this.#fit(plane)) this.#request();
    return () => {
      pane.observer.disconnect();
      takeOut(pane);
      this.#panes.delete(plane);
    };
  }

  /** Called when window, overlay, zoom or pan of one pane, or of all panes, changed. */
  invalidate(plane?: Plane): void {
    for (const [at, each] of PLANES.entries()) {
      if (plane === undefined || plane === each) this.#dirty[at] = PIXELS;
    }
    this.#request();
  }

  /**
   * Called often, when voxels arrived. Panes that are drawn for another reason show the voxels too,
   * because {@link cover} counts these voxels as arrived.
   */
  invalidateOften(): void {
    this.#dirty.fill(PIXELS);
    this.#requestAtTimes();
  }

  /** Draws the panes with new titles after a change of language. */
  retitle(): void {
    for (const [plane, pane] of this.#panes) pane.annotation.title = this.titleOf(plane);
    this.invalidate();
  }

  /** Called when the crosshair moved, or annotations changed. */
  invalidateLines(): void {
    for (let at = 0; at < PLANES.length; at++) this.#dirty[at] = Math.max(this.#dirty[at]!, LINES);
    this.#request();
  }

  /** Sets study and series of the images; empty without a comparison. */
  get caption(): string {
    return this.#caption;
  }
  set caption(caption: string) {
    this.#caption = caption;
    this.invalidateLines();
  }

  /** Called when the convention changed: redraws all panes. */
  invalidateMarks(): void {
    for (const [plane, pane] of this.#panes) {
      pane.annotation.marks = marksOf(this.grid, plane, this.scene.convention);
    }
    this.invalidate();
  }

  /** Draws pending changes immediately. */
  drawNow(): void {
    cancelAnimationFrame(this.#frame);
    this.#draw(true);
  }

  close(): void {
    this.#isClosed = true;
    cancelAnimationFrame(this.#frame);
    this.composer.close();
  }

  #request(): void {
    if (this.#frame === 0 && !this.#isClosed) this.#frame = requestAnimationFrame(this.#drawFrame);
  }

  readonly #drawFrame = (): void => this.#draw(false);

  /**
   * Draws all panes if `hasTime`, otherwise one pane that was never drawn:
   * the first frame of a canvas is slow.
   */
  #draw(hasTime: boolean): void {
    this.#frame = 0;
    if (this.#isClosed) return;
    const start = performance.now();
    let hasNew = false;
    for (let at = 0; at < PLANES.length; at++) {
      const pane = this.#panes.get(PLANES[at]!);
      if (!pane || this.#dirty[at] === CLEAN || !pane.isShown) continue;
      if (!pane.wasDrawn && !hasTime && hasNew) {
        this.#request();
        continue;
      }
      hasNew ||= !pane.wasDrawn;
      pane.wasDrawn = true;
      const mapping = this.#mappings.get(PLANES[at]!)!;
      mapPane(mapping, this.scene, this.grid, pane.width, pane.height);
      const { presenter, lines } = pane, ratio = pane.width / pane.host.clientWidth;
      const isNew = this.#dirty[at] === PIXELS || mapping.slice !== this.#shownSlice[at];
      if (isNew) this.composer.compose(at, mapping, this.scene);
      if (isNew || presenter.over) {
        presenter.present(this.composer.pixels(at), pane.width, pane.height);
      }
      if (!presenter.over) lines.clearRect(0, 0, pane.width, pane.height);
      pane.annotation.caption = this.#caption;
      this.cover(lines, mapping, ratio);
      this.annotate(lines, mapping, this.scene, this.grid, pane.annotation, ratio);
      for (const drawOver of this.drawOver) drawOver(lines, mapping, ratio);
      if (isNew) {
        this.#shownSlice[at] = mapping.slice;
        this.composedPanes++;
        this.onDrawn(PLANES[at]!);
      }
      this.#dirty[at] = CLEAN;
    }
    this.lastFrameMs = performance.now() - start;
  }

  #layers(host: HTMLElement): Pick<Pane, "presenter" | "lines"> {
    const image = layer(host);
    try {
      const presenter = this.createPresenter(image, this.#lost);
      return { presenter, lines: presenter.over ?? layer(host).getContext("2d")! };
    } catch (error) {
      if (this.createPresenter === createCanvasPresenter) throw error;
      // no WebGL context is left for this pane, so all panes switch to Canvas2D
      image.remove();
      this.createPresenter = createCanvasPresenter;
      queueMicrotask(this.#lost);
      return this.#layers(host);
    }
  }

  /** Called when the GPU was lost: all panes continue with Canvas2D at once. */
  readonly #lost = (): void => {
    if (this.#isClosed) return;
    this.present(createCanvasPresenter);
    this.onLost();
  };

  /**
   * Switches all panes to another presenter on new canvases:
   * a canvas keeps the first kind of context.
   */
  present(create: CreatePresenter): void {
    this.createPresenter = create;
    for (const pane of this.#panes.values()) {
      takeOut(pane);
      sizeLines(Object.assign(pane, this.#layers(pane.host)));
    }
    this.#dirty.fill(PIXELS);
    this.drawNow();
  }

  #resize(plane: Plane): void {
    // a resized canvas is redrawn before the browser displays it, to avoid flicker
    if (this.#fit(plane)) this.drawNow();
  }

  /**
   * Resizes a pane's canvases to the pane's element. @returns whether this cleared the canvases.
   */
  #fit(plane: Plane): boolean {
    const pane = this.#panes.get(plane);
    if (!pane) return false;
    const ratio = globalThis.devicePixelRatio || 1;
    const width = Math.round(pane.host.clientWidth * ratio),
      height = Math.round(pane.host.clientHeight * ratio);
    const wasShown = pane.isShown;
    pane.isShown = width > 0 && height > 0;
    if (!pane.isShown) return false;
    if (width === pane.width && height === pane.height) {
      if (!wasShown) this.#request();
      return false;
    }
    sizeLines(Object.assign(pane, { width, height }));
    pane.annotation.title = this.titleOf(plane);
    this.composer.sizePane(PLANES.indexOf(plane), width, height);
    this.#dirty[PLANES.indexOf(plane)] = PIXELS;
    return true;
  }
}

/** Adds a canvas above an element's existing canvases. */
function layer(host: HTMLElement): HTMLCanvasElement {
  const canvas = host.ownerDocument.createElement("canvas");
  canvas.className = "absolute inset-0 w-full h-full pointer-events-none";
  canvas.setAttribute("aria-hidden", "true");
  host.append(canvas);
  return canvas;
}

const sizeLines = ({ lines: { canvas }, width, height }: Pane) =>
  Object.assign(canvas, { width, height });

function takeOut({ presenter, host }: Pane): void {
  presenter.close();
  for (const canvas of host.querySelectorAll("canvas")) canvas.remove();
}
