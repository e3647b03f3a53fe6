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

/** Scanner names of one scanner differ by case only. */
export const isSameScanner = (a: string | null, b: string | null): boolean =>
  (a ?? "").toLowerCase() === (b ?? "").toLowerCase();

/** Reads a name from a stored header. @returns empty when there is none, or it is unreadable. */
async function readName(
  services: ServiceContext,
  seriesId: number,
  of: "scanner" | "protocol",
): Promise<string> {
  try {
    const name = await seriesAnswer(services, seriesId, of, { isLater: true }) ?? "";
    return name.slice(0, MAX_SCANNER_LENGTH);
  } catch (error) {
    // rethrown: without a reader the name is unknown, and an empty name would be stored permanently
    if (isBusy(error)) throw error;
    services.log("warn", "Cannot tell the scanner or protocol of a series", {
      series: seriesId,
      error: String(error),
    });
  }
  return "";
}

/**
 * Scanner names by series id; empty where the headers
 * do not contain one. Each header is read only once.
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

/** Protocols by series id, as {@link scannersOf}. */
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
