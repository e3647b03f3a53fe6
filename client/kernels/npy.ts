import { npy_layout } from "@/wasm/pkg/kernels/bind_browser.js";
import { AppError } from "@/model/errors.ts";
import type { Shape } from "@/model/geometry.ts";
import { NPY_REFUSALS } from "@/client/kernels/meta.ts";

/** The longest NPY header that is looked at: the most that version 1.0 can say. */
const HEAD_BYTES = 65_536 + 12;
const UNSIGNED = "u".charCodeAt(0);

/**
 * Elements of an 8-bit NPY file as a view of its bytes; nothing is copied. The kernels must be started.
 *
 * @param shape The shape that the file must have, [nx, ny, nz]; in the file it stands as (nz, ny, nx).
 * @throws {AppError} `engine.unsupported_input`, with the reader's refusal in `details.reason`.
 */
export function decodeNpy(bytes: Uint8Array<ArrayBuffer>, shape: Shape): Uint8Array<ArrayBuffer> {
  const layout = npy_layout(bytes.subarray(0, HEAD_BYTES), bytes.length);
  const refuse = (reason: string) =>
    new AppError("engine.unsupported_input", `Cannot read NPY file: ${reason}`, { reason });
  if (layout[0] !== 0) throw refuse(NPY_REFUSALS[layout[0]!] ?? "npy.header");
  const [, offset, kind, elementBytes, ...axes] = layout;
  if (kind !== UNSIGNED || elementBytes !== 1) throw refuse("npy.element_type");
  const expected = [shape[2], shape[1], shape[0]];
  if (axes.some((n, a) => n !== expected[a])) throw refuse("npy.shape");
  return bytes.subarray(offset!, offset! + shape[0] * shape[1] * shape[2]);
}
