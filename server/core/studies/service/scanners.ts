import { AppError } from "@/model/errors.ts";
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

/** Services by which a stored header is read. */
export type HeaderSource = Pick<ServiceContext, "db" | "blobs" | "reader" | "log">;

/**
 * Reads a name from a stored header. @returns empty when there is none, or the file is no DICOM;
 * `null` when the file could not be read, which may pass.
 */
async function readName(
  services: HeaderSource,
  seriesId: number,
  of: "scanner" | "protocol",
): Promise<string | null> {
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
    const isNoDicom = error instanceof AppError && error.code === "engine.unsupported_input";
    return isNoDicom ? "" : null;
  }
}

/**
 * Scanner names by series id; empty where the headers
 * do not contain one. Each header is read only once; one that could not be read is read again.
 */
export async function scannersOf(
  services: HeaderSource,
  seriesIds: readonly number[],
): Promise<Map<number, string>> {
  const scanners = await listScanners(services.db, seriesIds);
  for (const id of seriesIds) {
    if (scanners.has(id)) continue;
    const scanner = await readName(services, id, "scanner");
    if (scanner !== null) await setScanner(services.db, id, scanner);
    scanners.set(id, scanner ?? "");
  }
  return scanners;
}

export const scannerOf = async (services: ServiceContext, seriesId: number): Promise<string> =>
  (await scannersOf(services, [seriesId])).get(seriesId) ?? "";

/** Protocols by series id, as {@link scannersOf}. */
export async function protocolsOf(
  services: HeaderSource,
  seriesIds: readonly number[],
): Promise<Map<number, string>> {
  const protocols = await listProtocols(services.db, seriesIds);
  for (const id of seriesIds) {
    if (protocols.has(id)) continue;
    const protocol = await readName(services, id, "protocol");
    if (protocol !== null) await setProtocol(services.db, id, protocol);
    protocols.set(id, protocol ?? "");
  }
  return protocols;
}

export const protocolOfStored = async (
  services: ServiceContext,
  seriesId: number,
): Promise<string> => (await protocolsOf(services, [seriesId])).get(seriesId) ?? "";
