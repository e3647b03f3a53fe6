/**
 * Parts of stored objects for DICOMweb, made from foreign bytes by a reader where the site has one.
 */
import { bulkDataOf, framesOf, type WebPart } from "@/server/core/dicom/worker/frame_parts.ts";
import { renderFrame, type Rendering } from "@/server/core/dicom/worker/rendering.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

export type { WebPart } from "@/server/core/dicom/worker/frame_parts.ts";
export { renderingOf } from "@/server/core/dicom/worker/rendering.ts";

type Readers = Pick<ServiceContext, "reader">;

/**
 * A frame of a file as JPEG.
 * @param bytes Given away: they are empty afterwards.
 * @throws {AppError} as {@link renderFrame}; `server.busy` when too many tasks wait.
 */
export const drawFrame = async (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  rendering: Rendering,
): Promise<Uint8Array<ArrayBuffer>> =>
  reader ? await reader.read({ kind: "picture", bytes, rendering }) : renderFrame(bytes, rendering);

/**
 * Frames of a file as they are stored. @param bytes Given away. @throws {AppError} as {@link
 * framesOf}; `server.busy`.
 */
export const storedFrames = async (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  wanted: readonly number[],
): Promise<WebPart[]> =>
  reader ? await reader.read({ kind: "frames", bytes, wanted }) : framesOf(bytes, wanted);

/**
 * A value of a file. @param bytes Given away. @throws {AppError} as {@link bulkDataOf};
 * `server.busy`.
 */
export const storedValue = async (
  { reader }: Readers,
  bytes: Uint8Array<ArrayBuffer>,
  tag: string,
): Promise<Uint8Array<ArrayBuffer>> =>
  reader ? await reader.read({ kind: "value", bytes, tag }) : bulkDataOf(bytes, tag);
