import { kernel_memory, SurfaceRaster } from "@/wasm/pkg/kernels/bind_browser.js";
import { AppError } from "@/model/errors.ts";
import { type SurfaceCamera, VIEW_LENGTH, writeView } from "@/viewer/surface/camera.ts";

/** A surface as the viewer draws it. */
export interface SurfaceMesh {
  /** n × 3, RAS mm. */
  positions: Float32Array;
  /** n × 3, unit, outward. */
  normals: Float32Array;
  /** m × 3 indices, counter-clockwise seen from outside. */
  faces: Uint32Array;
  /** n, cortical thickness in mm; 0 where no cortex is near. */
  values: Float32Array;
}

/** The surface in the kernel's memory. Drawing is one call and allocates nothing. */
export interface SurfaceKernel {
  /** RGBA of each vertex, little-endian words; a change shows at the next draw. Not to be kept. */
  colours(): Uint32Array;
  /**
   * Draws the view of a camera at a size in device pixels; `isSmooth` draws at twice the size and
   * averages.
   * @throws {RangeError} when memory is short.
   */
  draw(camera: SurfaceCamera, width: number, height: number, isSmooth: boolean): void;
  /** RGBA of the last picture, rows from the top; valid until memory grows. */
  pixels(): Uint8ClampedArray<ArrayBuffer>;
  /**
   * Face of the last picture at a place, each 0..1 from the left top; −1 beside the surface. The
   * first one that is asked of a picture takes as long as drawing it.
   */
  faceAt(across: number, down: number): number;
  /** Its depth there, scene units; 0 beside the surface. */
  depthAt(across: number, down: number): number;
  /** Gives the memory back; the kernel is not used again. */
  close(): void;
}

/** Refusals of a mesh by number; the kernel has the same table. */
export const MESH_REFUSALS = [
  "",
  "surface.length",
  "surface.index",
  "surface.coordinate",
  "surface.memory",
] as const;

/**
 * Takes a surface over. The kernels must have been started on this page.
 * @throws {AppError} `engine.unsupported_input` for a mesh that cannot be drawn.
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
