import { openExport } from "@/server/core/exports/service/exports.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** HTTP content types of exported files, by format. */
export const MEDIA_TYPES = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pdf: "application/pdf",
  json: "application/json",
} as const;

/**
 * Streams a finished export file as a response.
 * @throws {AppError} `entity.not_found` for a deleted file.
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
