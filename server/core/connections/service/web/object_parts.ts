/**
 * Parts of stored objects for DICOMweb, extracted in another process because files are untrusted.
 */
import type { WebPart } from "@/server/core/dicom/worker/frame_parts.ts";
import { readDicom } from "@/server/core/dicom/worker/reader.ts";
import type { Rendering } from "@/server/core/dicom/worker/rendering_query.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

export type { WebPart } from "@/server/core/dicom/worker/frame_parts.ts";
export type { Rendering } from "@/server/core/dicom/worker/rendering_query.ts";
export { renderingOf } from "@/server/core/dicom/worker/rendering_query.ts";

type Readers = Pick<ServiceContext, "reader">;

/**
 * Renders a frame of a DICOM file as JPEG.
 * @param bytes File, transferred to another process: empty after the call.
 * @throws {AppError} as `renderFrame()`; `server.busy` when too many tasks wait.
 */
export const drawFrame = (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  rendering: Rendering,
): Promise<Uint8Array<ArrayBuffer>> => readDicom(reader, { kind: "picture", bytes, rendering });

/**
 * Frames of a DICOM file without conversion. @param bytes File, empty after the call.
 * @throws {AppError} as `framesOf()`; `server.busy`.
 */
export const storedFrames = (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  wanted: readonly number[],
): Promise<WebPart[]> => readDicom(reader, { kind: "frames", bytes, wanted });

/**
 * A bulk data value of a DICOM file. @param bytes File, empty after the call.
 * @throws {AppError} as `bulkDataOf()`; `server.busy`.
 */
export const storedValue = (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  tag: string,
): Promise<Uint8Array<ArrayBuffer>> => readDicom(reader, { kind: "value", bytes, tag });
