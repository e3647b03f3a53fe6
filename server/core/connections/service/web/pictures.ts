import { renderFrame, type Rendering } from "@/server/core/dicom/worker/rendering.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

export { renderingOf } from "@/server/core/dicom/worker/rendering.ts";

/**
 * A frame of a file as JPEG, drawn by a worker where the site has them.
 * @param bytes Given away: they are empty afterwards.
 * @throws {AppError} as {@link renderFrame}; `server.busy` when too many pictures wait.
 */
export const drawFrame = async (
  { reader }: Pick<ServiceContext, "reader">,
  bytes: Uint8Array<ArrayBuffer>,
  rendering: Rendering,
): Promise<Uint8Array<ArrayBuffer>> =>
  reader ? await reader.read({ kind: "picture", bytes, rendering }) : renderFrame(bytes, rendering);
