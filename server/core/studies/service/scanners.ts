import { MAX_SCANNER_LENGTH } from "@/model/schema/report/norms.ts";
import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import {
  listProtocols,
  listScanners,
  setProtocol,
  setScanner,
} from "@/server/core/norms/storage/local_norms.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";

/** The headers of one scanner differ by case at most. */
export const isSameScanner = (a: string | null, b: string | null): boolean =>
  (a ?? "").toLowerCase() === (b ?? "").toLowerCase();

/** Reads a stored header. @returns an empty name when there is none, or it cannot be read. */
async function readName(
  services: ServiceContext,
  seriesId: number,
  of: "scanner" | "protocol",
): Promise<string> {
  try {
    const name = await seriesAnswer(services, seriesId, of, { isLater: true }) ?? "";
    return name.slice(0, MAX_SCANNER_LENGTH);
  } catch (error) {
    // a missing reader says nothing of the file, and the name is read once and stored
    if (isBusy(error)) throw error;
    services.log("warn", "Cannot tell the scanner or protocol of a series", {
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
    const scanner = await readName(services, id, "scanner");
    await setScanner(services.db, id, scanner);
    scanners.set(id, scanner);
  }
  return scanners;
}

export const scannerOf = async (services: ServiceContext, seriesId: number): Promise<string> =>
  (await scannersOf(services, [seriesId])).get(seriesId) ?? "";

/** Protocols by the number of the series, as {@link scannersOf}. */
export async function protocolsOf(
  services: ServiceContext,
  seriesIds: readonly number[],
): Promise<Map<number, string>> {
  const protocols = await listProtocols(services.db, seriesIds);
  for (const id of seriesIds) {
    if (protocols.has(id)) continue;
    const protocol = await readName(services, id, "protocol");
    await setProtocol(services.db, id, protocol);
    protocols.set(id, protocol);
  }
  return protocols;
}

export const protocolOfStored = async (
  services: ServiceContext,
  seriesId: number,
): Promise<string> => (await protocolsOf(services, [seriesId])).get(seriesId) ?? "";
