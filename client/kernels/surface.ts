import { npy_layout, npy_to_f32, npy_to_u32 } from "@/wasm/pkg/kernels/bind_browser.js";
import { type LoadedSurface, NPY_ERRORS } from "@/client/kernels/meta.ts";
import { fetchFile } from "@/client/kernels/stream.ts";
import { AppError } from "@/model/errors.ts";
import type { SurfaceFile } from "@/model/schema/studies/viewer_files.ts";

/** Maximum length of an NPY header that is read. */
const HEAD_BYTES = 65_536 + 12;

const throwRefused = (reason: string) =>
  new AppError("engine.unsupported_input", `Cannot read the surface: ${reason}`, { reason });

/** Checks an array. @throws {AppError} unless it is two-dimensional with `columns` columns. */
function checkRows(file: Uint8Array, columns: number): void {
  const [refusal, , , , rows, width, depth] = npy_layout(file.subarray(0, HEAD_BYTES), file.length);
  if (refusal !== 0) throw throwRefused(NPY_ERRORS[refusal!] ?? "npy.header");
  const sizes = [rows!, width!, depth!].filter((size) => size !== 1);
  const isRows = columns === 1 ? sizes.length <= 1 : sizes.at(-1) === columns && sizes.length <= 2;
  if (!isRows && rows !== 0) throw throwRefused("npy.shape");
}

/**
 * Reads the four arrays of a surface, of any numeric type, and checks that they are consistent.
 * The kernels must be started.
 *
 * @throws {AppError} `engine.unsupported_input`, with the reason in `details.reason`.
 */
export function decodeSurface(files: Record<SurfaceFile, Uint8Array>): LoadedSurface {
  for (const name of ["verts", "faces", "normals"] as const) checkRows(files[name], 3);
  checkRows(files.values, 1);
  const surface = {
    positions: npy_to_f32(files.verts) as Float32Array<ArrayBuffer>,
    normals: npy_to_f32(files.normals) as Float32Array<ArrayBuffer>,
    faces: npy_to_u32(files.faces) as Uint32Array<ArrayBuffer>,
    values: npy_to_f32(files.values) as Float32Array<ArrayBuffer>,
  };
  const vertices = surface.positions.length / 3;
  if (surface.normals.length !== vertices * 3 || surface.values.length !== vertices) {
    throw throwRefused("surface.length");
  }
  if (surface.faces.some((index) => index >= vertices)) throw throwRefused("surface.index");
  return surface;
}

/**
 * Downloads and reads the four arrays of a surface.
 *
 * @param kernels Promise of the started kernels, which start during the download.
 * @param onBytes Receives the number of uncompressed bytes loaded, of all four files.
 * @throws {AppError} as {@link fetchFile} and {@link decodeSurface}.
 */
export async function fetchSurface(
  urls: Record<SurfaceFile, string>,
  kernels: Promise<unknown>,
  onBytes: (receivedBytes: number) => void,
): Promise<LoadedSurface> {
  let receivedBytes = 0;
  const file = async (url: string) => {
    const parts: Uint8Array<ArrayBuffer>[] = [], reader = (await fetchFile(url)).body!.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      onBytes(receivedBytes += part.value.length);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  };
  const [verts, faces, normals, values] = await Promise.all([
    file(urls.verts),
    file(urls.faces),
    file(urls.normals),
    file(urls.values),
  ]);
  await kernels;
  return decodeSurface({ verts, faces, normals, values });
}
