import {
  createCamera,
  DEFAULT_HEIGHT,
  DEFAULT_WIDTH,
  PRESSED_MS,
  projectMm,
  RELEASED_MS,
  type SurfaceCamera,
  unprojectMm,
} from "@/viewer/surface/camera.ts";
import { createCanvasSurface } from "@/viewer/surface/canvas.ts";
import type { SurfaceKernel, SurfaceMesh } from "@/viewer/surface/kernel.ts";
import { drawMarks, type SurfaceMarks } from "@/viewer/surface/marks.ts";
import type { CreateSurfacePresenter, SurfacePresenter } from "@/viewer/surface/presenter.ts";

/** Idle time after which the picture is rendered in quality `smooth`, ms. */
const SETTLE_MS = 120;
/** Delay of the crosshair's mark on the surface: scrolling through slices does not wait for it. */
const MARK_MS = 200;
/** Maximum distance from the surface at which the crosshair is marked on it, mm. */
const NEAR_MM = 12;
/** A vertex at most this much deeper than the visible surface counts as visible, scene units. */
const DEPTH_SLACK = 0.03;
/** Fraction of the pane's size that is rendered for picking, where the GPU renders the picture. */
const PROBE_PART = 0.5;

/** Result of picking a point of the 3D pane. */
interface SurfaceHit {
  rasMm: Float64Array;
  /** Index of the picked face's vertex that is nearest to the point. */
  vertex: number;
}

/**
 * Renders the surface into an element: coarse enough to be fluent during rotation, smooth at rest;
 * at most one frame per {@link PRESSED_MS} while the mouse is pressed,
 * and per {@link RELEASED_MS} afterwards (D2 §9).
 */
export class SurfaceRenderer {
  readonly camera: SurfaceCamera;
  /** Text at the top left of the 3D pane. */
  titleOf: (camera: SurfaceCamera) => string = () => "";
  /** Called when the picture is at rest. */
  onRest: (camera: SurfaceCamera) => void = () => {};
  /** Number of frames, and time of the last one in quality `fine`; for benchmarks. */
  frames = 0;
  fineMs = 0;
  readonly #marks: SurfaceMarks = { title: "", place: null, scaleDepth: 1 };
  readonly #lines: HTMLCanvasElement;
  #image: HTMLCanvasElement;
  #presenter: SurfacePresenter;
  #width = DEFAULT_WIDTH;
  #height = DEFAULT_HEIGHT;
  #isShown = false;
  #isPressed = false;
  #isDirty = true;
  #isProbed = false;
  #frame = 0;
  #settle: ReturnType<typeof setTimeout> | undefined;
  #ticks: ReturnType<typeof setInterval> | undefined;
  #crosshairVertex = -1;
  #crosshairMm: ArrayLike<number> | null = null;
  #marking: ReturnType<typeof setTimeout> | undefined;
  readonly #projected = new Float64Array(3);
  readonly #observer: ResizeObserver;

  constructor(
    readonly host: HTMLElement,
    readonly mesh: SurfaceMesh,
    readonly kernel: SurfaceKernel,
    create: CreateSurfacePresenter,
  ) {
    this.camera = createCamera(mesh.positions);
    this.#image = layer(host);
    this.#lines = layer(host);
    host.prepend(this.#image, this.#lines);
    this.#presenter = this.#create(create);
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(host);
    this.#resize();
    this.#tick(RELEASED_MS);
  }

  get kind() {
    return this.#presenter.kind;
  }

  /** Size of the pane, CSS pixels. */
  get size(): [width: number, height: number] {
    return [this.host.clientWidth, this.host.clientHeight];
  }

  /** Switches to another presenter on a new canvas. */
  present(create: CreateSurfacePresenter): void {
    this.#presenter.close();
    const image = layer(this.host);
    this.#image.replaceWith(image);
    this.#image = image;
    this.#presenter = this.#create(create);
    this.invalidate();
  }

  /** Called when the camera changed. */
  invalidate(): void {
    this.#isDirty = true;
    this.#isProbed = false;
    if (!this.#isPressed) this.#request();
  }

  /** Called when the kernel's colours were written. */
  coloursChanged(): void {
    this.#presenter.coloursChanged();
    this.invalidate();
  }

  /** Called when title or crosshair changed: redraws annotations only. */
  invalidateLines(): void {
    this.#request();
  }

  /**
   * Marks a position on the surface if it is near, after {@link MARK_MS}; `null` removes the mark.
   * Cheap enough to be called for every slice; the position is read after the delay.
   */
  mark(rasMm: ArrayLike<number> | null): void {
    this.#crosshairMm = rasMm;
    this.#marking ??= setTimeout(() => {
      this.#marking = undefined;
      const vertex = this.#crosshairMm ? this.#nearestVertex(this.#crosshairMm) : -1;
      if (vertex === this.#crosshairVertex) return;
      this.#crosshairVertex = vertex;
      this.#request();
    }, MARK_MS);
  }

  /** Called when the mouse is pressed: until it is released, frames follow quickly. */
  press(): void {
    this.#isPressed = true;
    clearTimeout(this.#settle);
    this.#tick(PRESSED_MS);
  }

  release(): void {
    if (!this.#isPressed) return;
    this.#isPressed = false;
    this.#tick(RELEASED_MS);
    this.#draw("smooth");
  }

  /**
   * Picks the vertex at a point, CSS pixels from the pane's top left;
   * `null` outside the surface. Exact to a pixel.
   */
  hit(x: number, y: number): SurfaceHit | null {
    const [width, height] = this.size;
    this.#probe();
    const face = this.kernel.faceAt(x / width, y / height);
    if (face < 0) return null;
    const rasMm = new Float64Array(3);
    unprojectMm(
      rasMm,
      this.camera,
      x,
      y,
      this.kernel.depthAt(x / width, y / height),
      width,
      height,
    );
    const corners = [0, 1, 2].map((n) => this.mesh.faces[face * 3 + n]!);
    const [vertex] = corners.sort((a, b) => this.#squaredMm(a, rasMm) - this.#squaredMm(b, rasMm));
    return { rasMm, vertex: vertex! };
  }

  /** Renders pending changes immediately, in quality `smooth`. */
  drawNow(): void {
    this.#draw("smooth");
  }

  close(): void {
    this.#observer.disconnect();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settle);
    clearTimeout(this.#marking);
    clearInterval(this.#ticks);
    this.#presenter.close();
    this.#image.remove();
    this.#lines.remove();
    this.kernel.close();
  }

  #create(create: CreateSurfacePresenter): SurfacePresenter {
    // a canvas with a lost or failed context cannot be used for Canvas2D: a new one replaces it
    try {
      return create(this.#image, this.mesh, this.kernel, () => this.present(createCanvasSurface));
    } catch {
      const image = layer(this.host);
      this.#image.replaceWith(image);
      this.#image = image;
      return createCanvasSurface(image, this.mesh, this.kernel, () => {});
    }
  }

  #tick(ms: number): void {
    clearInterval(this.#ticks);
    this.#ticks = setInterval(() => {
      if (!this.#isPressed) this.#draw("smooth");
      else if (this.#isDirty) this.#draw(this.#movingQuality());
    }, ms);
  }

  #movingQuality() {
    return this.#presenter.kind === "canvas" && this.fineMs > PRESSED_MS ? "coarse" : "fine";
  }

  #request(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.#isDirty) return this.#drawLines();
      this.#draw(this.#movingQuality());
      clearTimeout(this.#settle);
      if (!this.#isPressed) this.#settle = setTimeout(() => this.#draw("smooth"), SETTLE_MS);
    });
  }

  #draw(quality: "coarse" | "fine" | "smooth"): void {
    if (!this.#isShown) return;
    const start = performance.now();
    this.#presenter.draw(this.camera, this.#width, this.#height, quality);
    // the software-rendered picture is also used for picking
    this.#isProbed = this.#presenter.kind === "canvas";
    if (quality === "fine") this.fineMs = performance.now() - start;
    this.frames++;
    this.#isDirty = false;
    this.#drawLines();
    if (quality === "smooth") this.onRest(this.camera);
  }

  #drawLines(): void {
    const context = this.#lines.getContext("2d");
    if (!context || !this.#isShown) return;
    const marks = this.#marks;
    this.#probe();
    marks.title = this.titleOf(this.camera);
    marks.scaleDepth = this.kernel.depthAt(0.5, 0.5) || this.camera.distance;
    marks.place = this.#place();
    drawMarks(context, this.camera, marks, this.#width / Math.max(this.host.clientWidth, 1));
  }

  /** Screen position of the vertex next to the crosshair. */
  #place(): SurfaceMarks["place"] {
    if (this.#crosshairVertex < 0) return null;
    const at = this.#crosshairVertex * 3, [x, y, depth] = [0, 1, 2];
    const out = this.#projected;
    projectMm(
      out,
      this.camera,
      this.mesh.positions.subarray(at, at + 3),
      this.#width,
      this.#height,
    );
    if (out[depth]! <= 0) return null;
    const drawnDepth = this.kernel.depthAt(out[x]! / this.#width, out[y]! / this.#height);
    return {
      x: out[x]!,
      y: out[y]!,
      isHidden: drawnDepth > 0 && out[depth]! > drawnDepth + DEPTH_SLACK,
    };
  }

  /** Renders the current camera's picture with the kernel. */
  #probe(): void {
    if (this.#isProbed) return;
    const part = this.#presenter.kind === "canvas" ? 1 : PROBE_PART;
    this.kernel.draw(
      this.camera,
      Math.ceil(this.#width * part),
      Math.ceil(this.#height * part),
      false,
    );
    this.#isProbed = true;
  }

  #squaredMm(vertex: number, rasMm: ArrayLike<number>): number {
    const { positions } = this.mesh, at = vertex * 3;
    const x = positions[at]! - rasMm[0]!, y = positions[at + 1]! - rasMm[1]!;
    const z = positions[at + 2]! - rasMm[2]!;
    return x * x + y * y + z * z;
  }

  #nearestVertex(rasMm: ArrayLike<number>): number {
    const { positions } = this.mesh, [px, py, pz] = [rasMm[0]!, rasMm[1]!, rasMm[2]!];
    let best = NEAR_MM * NEAR_MM, nearest = -1;
    for (let at = 0; at < positions.length; at += 3) {
      const x = positions[at]! - px, y = positions[at + 1]! - py, z = positions[at + 2]! - pz;
      const squared = x * x + y * y + z * z;
      if (squared >= best) continue;
      best = squared;
      nearest = at / 3;
    }
    return nearest;
  }

  #resize(): void {
    const ratio = globalThis.devicePixelRatio || 1, [w, h] = this.size;
    const width = Math.round(w * ratio), height = Math.round(h * ratio);
    const wasShown = this.#isShown;
    this.#isShown = width > 0 && height > 0;
    if (!this.#isShown || (width === this.#width && height === this.#height && wasShown)) return;
    this.#width = this.#lines.width = width;
    this.#height = this.#lines.height = height;
    this.#isProbed = false;
    // a resized canvas is redrawn before the browser displays it;
    // the first picture is not drawn before the vertex colours are set
    if (this.frames > 0) this.#draw("smooth");
    else this.#request();
  }
}

function layer(host: HTMLElement): HTMLCanvasElement {
  const canvas = host.ownerDocument.createElement("canvas");
  canvas.className = "absolute inset-0 w-full h-full pointer-events-none";
  canvas.setAttribute("aria-hidden", "true");
  return canvas;
}
