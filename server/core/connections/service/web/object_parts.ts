/** Parts of stored objects for DICOMweb, made from foreign bytes by a reader. */
import type { WebPart } from "@/server/core/dicom/worker/frame_parts.ts";
import { readDicom } from "@/server/core/dicom/worker/reader.ts";
import type { Rendering } from "@/server/core/dicom/worker/rendering_query.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

export type { WebPart } from "@/server/core/dicom/worker/frame_parts.ts";
export { renderingOf } from "@/server/core/dicom/worker/rendering_query.ts";

type Readers = Pick<ServiceContext, "reader">;

/**
 * A frame of a file as JPEG.
 * @param bytes Given away: they are empty afterwards.
 * @throws {AppError} as `renderFrame()`; `server.busy` when too many tasks wait.
 */
export const drawFrame = (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  rendering: Rendering,
): Promise<Uint8Array<ArrayBuffer>> => readDicom(reader, { kind: "picture", bytes, rendering });

/**
 * Frames of a file as they are stored. @param bytes Given away. @throws {AppError} as
 * `framesOf()`; `server.busy`.
 */
export const storedFrames = (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  wanted: readonly number[],
): Promise<WebPart[]> => readDicom(reader, { kind: "frames", bytes, wanted });

/**
 * A value of a file. @param bytes Given away. @throws {AppError} as `bulkDataOf()`; `server.busy`.
 */
export const storedValue = (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  tag: string,
): Promise<Uint8Array<ArrayBuffer>> => readDicom(reader, { kind: "value", bytes, tag });
