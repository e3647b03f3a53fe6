import { openExport } from "@/server/core/exports/service/exports.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/**
 * A finished file as an answer, read while it is sent. @throws {AppError} `entity.not_found` when
 * it is gone.
 */
export async function exportResponse(
  services: ServiceContext,
  exportId: string,
  headers: Record<string, string>,
): Promise<Response> {
  const { body, sizeBytes } = await openExport(services, exportId);
  return new Response(body, {
    headers: { ...headers, "content-length": String(sizeBytes), "cache-control": "no-store" },
  });
}
