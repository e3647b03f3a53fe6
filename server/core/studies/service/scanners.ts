import { MAX_SCANNER_LENGTH } from "@/model/schema/report/norms.ts";
import { scannerName } from "@/server/core/dicom/read/protocol.ts";
import { parseStored } from "@/server/core/dicom/read/source_series.ts";
import { listScanners, setScanner } from "@/server/core/norms/storage/local_norms.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { headersOf } from "@/server/core/studies/service/headers/stored_headers.ts";

/** The headers of one scanner differ by case at most. */
export const isSameScanner = (a: string | null, b: string | null): boolean =>
  (a ?? "").toLowerCase() === (b ?? "").toLowerCase();

/** Reads a stored header. @returns an empty name when there is none, or it cannot be read. */
async function readScanner(services: ServiceContext, seriesId: number): Promise<string> {
  try {
    for await (const head of headersOf(services, seriesId)) {
      return scannerName(parseStored(head, false).dataSet).slice(0, MAX_SCANNER_LENGTH);
    }
  } catch (error) {
    services.log("warn", "Cannot tell the scanner of a series", {
      series: seriesId,
      error: String(error),
    });
  }
  return "";
}

/**
 * Scanners by the number of the series; the name is empty where the headers do not say. Each is
 * read once.
 */
export async function scannersOf(
  services: ServiceContext,
  seriesIds: readonly number[],
): Promise<Map<number, string>> {
  const scanners = await listScanners(services.db, seriesIds);
  for (const id of seriesIds) {
    if (scanners.has(id)) continue;
    const scanner = await readScanner(services, id);
    await setScanner(services.db, id, scanner);
    scanners.set(id, scanner);
  }
  return scanners;
}

export const scannerOf = async (services: ServiceContext, seriesId: number): Promise<string> =>
  (await scannersOf(services, [seriesId])).get(seriesId) ?? "";
