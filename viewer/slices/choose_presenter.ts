import { createCanvasPresenter } from "@/viewer/slices/present_canvas.ts";
import {
  type CreatePresenter,
  type Presenter,
  PRESENTER_KINDS,
  type PresenterKind,
} from "@/viewer/slices/presenter.ts";

/** Selected presenter with the reason; shown in the help panel and read by the benchmarks. */
export interface PresenterChoice {
  kind: PresenterKind;
  reason:
    | "forced"
    | "no WebGL"
    | "software WebGL"
    | "faster in a trial"
    | "failed to start"
    | "context lost";
  /** Name of the GPU, from the graphics driver; empty without WebGL. */
  renderer: string;
  create: CreatePresenter;
}

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render|microsoft basic/i;
const TRIAL_PIXELS = 512;
const TRIAL_FRAMES = 6;

/** Selects the Canvas2D presenter and states the reason. */
export const canvasChoice = (
  reason: PresenterChoice["reason"],
  renderer = "",
): PresenterChoice => ({
  kind: "canvas",
  reason,
  renderer,
  create: createCanvasPresenter,
});

/** Storage key of the presenter set on this computer. */
export const PRESENTER_SETTING = "sulcus-renderer";

/** Presenter set in the address (`?renderer=`), otherwise in the settings; `null` if not set. */
export function forcedPresenter(search: string, setting: string | null): PresenterKind | null {
  const wanted = new URLSearchParams(search).get("renderer");
  return [wanted, setting].flatMap((name) => PRESENTER_KINDS.filter((kind) => kind === name))[0] ??
    null;
}

/** Name of the WebGL renderer, or `null` without WebGL, as on a thin client without GPU. */
function webglRenderer(): string | null {
  const gl = document.createElement("canvas").getContext("webgl", {
    failIfMajorPerformanceCaveat: false,
  });
  if (!gl) return null;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return name;
}

/**
 * Selects how pixels reach the screen: the forced presenter, or Canvas2D without a GPU, or else the
 * presenter that draws frames of 512 × 512 pixels faster. regl is loaded only if WebGL exists.
 */
export async function choosePresenter(forced: PresenterKind | null): Promise<PresenterChoice> {
  if (forced === "canvas") return canvasChoice("forced");
  const renderer = webglRenderer();
  if (renderer === null) return canvasChoice("no WebGL");
  if (forced === null && SOFTWARE.test(renderer)) return canvasChoice("software WebGL", renderer);
  try {
    const { createReglPresenter } = await import("@/viewer/slices/present_regl.ts");
    const regl = { kind: "regl", create: createReglPresenter, renderer } as const;
    const reglMs = trialMs(createReglPresenter);
    if (forced === "regl") return { ...regl, reason: "forced" };
    const isFaster = reglMs <= trialMs(createCanvasPresenter);
    return isFaster
      ? { ...regl, reason: "faster in a trial" }
      : canvasChoice("faster in a trial", renderer);
  } catch {
    // a graphics driver that fails in the trial would also fail in use
    return canvasChoice("failed to start", renderer);
  }
}

/** Median time of a frame, ms, including reading back the pixels, which waits for the GPU. */
function trialMs(create: CreatePresenter): number {
  const canvas = document.createElement("canvas");
  const presenter: Presenter = create(canvas, () => {});
  const pixels = new Uint8ClampedArray(TRIAL_PIXELS * TRIAL_PIXELS * 4);
  const times: number[] = [];
  for (let frame = 0; frame < TRIAL_FRAMES; frame++) {
    pixels.fill(frame);
    const start = performance.now();
    presenter.present(pixels, TRIAL_PIXELS, TRIAL_PIXELS);
    const gl = presenter.kind === "regl" ? canvas.getContext("webgl") : null;
    if (gl) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    times.push(performance.now() - start);
  }
  presenter.close();
  return times.sort((a, b) => a - b)[TRIAL_FRAMES >> 1]!;
}
