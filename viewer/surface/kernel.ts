import { kernel_memory, SurfaceRaster } from "@/wasm/pkg/kernels/bind_browser.js";
import { AppError } from "@/model/errors.ts";
import { type SurfaceCamera, VIEW_LENGTH, writeView } from "@/viewer/surface/camera.ts";

/** Triangle mesh of the brain surface, for display. */
export interface SurfaceMesh {
  /** positions of the vertices, n × 3, RAS mm */
  positions: Float32Array;
  /** normals n × 3, unit vectors, outward */
  normals: Float32Array;
  /** triangles m × 3, counter-clockwise seen from outside */
  faces: Uint32Array;
  /** cortical thickness of n vertices in mm; 0 where no cortex is near */
  values: Float32Array;
}

/** The surface in the kernel's memory. Rendering is one call and allocates nothing. */
export interface SurfaceKernel {
  /**
   * RGBA of each vertex, little-endian words; changes apply to the next frame.
   * Do not keep the view, because memory may move.
   */
  colours(): Uint32Array;
  /**
   * Renders the view of a camera in device pixels;
   * with `isSmooth`, renders at twice the size and averages.
   * @throws {RangeError} when memory is insufficient.
   */
  draw(camera: SurfaceCamera, width: number, height: number, isSmooth: boolean): void;
  /** RGBA of the last picture, rows from the top; valid until memory grows. */
  pixels(): Uint8ClampedArray<ArrayBuffer>;
  /**
   * Face of the last picture at a point (0..1 from the top left); −1 outside the surface.
   * The first query of a picture takes as long as the rendering of a picture.
   */
  faceAt(across: number, down: number): number;
  /** Depth at a point (0..1 from the top left), scene units; 0 outside the surface. */
  depthAt(across: number, down: number): number;
  /** Frees the memory; the kernel must not be used afterwards. */
  close(): void;
}

/** Reasons for which the kernel refuses a mesh, by the kernel's error number. */
export const MESH_REFUSALS = [
  "",
  "surface.length",
  "surface.index",
  "surface.coordinate",
  "surface.memory",
] as const;

/**
 * Loads a surface into the kernel, which must have been initialised on this page.
 * @throws {AppError} `engine.unsupported_input` for an invalid mesh.
 */
export function createSurfaceKernel({ positions, normals, faces }: SurfaceMesh): SurfaceKernel {
  const memory = kernel_memory() as WebAssembly.Memory;
  let kernel: SurfaceRaster;
  try {
    kernel = SurfaceRaster.create(positions, normals, faces);
  } catch (number) {
    const reason = MESH_REFUSALS[Number(number)] ?? "surface.memory";
    throw new AppError("engine.unsupported_input", `Cannot draw the surface: ${reason}`, {
      reason,
    });
  }
  const vertices = positions.length / 3;
  let width = 0, height = 0, shown: Uint8ClampedArray<ArrayBuffer> | null = null;
  let view = new Float32Array(), colours = new Uint32Array();
  return {
    colours() {
      if (colours.buffer !== memory.buffer) {
        colours = new Uint32Array(memory.buffer as ArrayBuffer, kernel.colours_address(), vertices);
      }
      return colours;
    },
    draw(camera, nextWidth, nextHeight, isSmooth) {
      if (!kernel.reserve(nextWidth, nextHeight, isSmooth)) {
        throw new RangeError(`Cannot draw the surface: no room for ${nextWidth} × ${nextHeight}`);
      }
      if (view.buffer !== memory.buffer) {
        view = new Float32Array(memory.buffer as ArrayBuffer, kernel.view_address(), VIEW_LENGTH);
      }
      writeView(view, camera, nextWidth, nextHeight);
      kernel.draw(nextWidth, nextHeight, isSmooth, true);
      [width, height] = [nextWidth, nextHeight];
    },
    pixels() {
      const address = kernel.pixels_address(), bytes = width * height * 4;
      if (
        shown?.buffer !== memory.buffer || shown.byteOffset !== address || shown.length !== bytes
      ) {
        shown = new Uint8ClampedArray(memory.buffer as ArrayBuffer, address, bytes);
      }
      return shown;
    },
    faceAt: (across, down) => kernel.face_at(across, down),
    depthAt(across, down) {
      const inverse = kernel.inverse_depth_at(across, down);
      return inverse > 0 ? 1 / inverse : 0;
    },
    close: () => kernel.free(),
  };
}
