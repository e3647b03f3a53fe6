import { AppError } from "@/model/errors.ts";
import { MAX_SCANNER_LENGTH } from "@/model/schema/report/norms.ts";
import { noteChanges } from "@/server/core/connections/service/result_queue.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import {
  type HeaderName,
  listHeaderNames,
  setHeaderName,
} from "@/server/core/norms/storage/local_norms.ts";
import { listMeasuredStudies } from "@/server/core/norms/storage/acceptances.ts";
import { isWithholding, listStops } from "@/server/core/norms/storage/stops.ts";
import { outdateFindings } from "@/server/core/studies/storage/findings.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";

/** Whether two names are of the same scanner; upper and lower case do not matter. */
export const isSameScanner = (a: string | null, b: string | null): boolean =>
  (a ?? "").toLowerCase() === (b ?? "").toLowerCase();

/** Services that are needed to read a stored header. */
export type HeaderSource = Pick<ServiceContext, "db" | "blobs" | "reader" | "log">;

/**
 * Reads a name from a stored header. @returns an empty text without a name, or without DICOM;
 * `null` if the file could not be read now, which may be temporary.
 */
async function readName(
  services: HeaderSource,
  seriesId: number,
  of: HeaderName,
): Promise<string | null> {
  try {
    const name = await seriesAnswer(services, seriesId, of, { isLater: true }) ?? "";
    return name.slice(0, MAX_SCANNER_LENGTH);
  } catch (error) {
    // thrown again, because an empty name would be stored permanently although the header has one
    if (isBusy(error)) throw error;
    services.log("warn", `Cannot tell the ${of} of a series`, {
      series: seriesId,
      error: String(error),
    });
    const isNoDicom = error instanceof AppError && error.code === "engine.unsupported_input";
    return isNoDicom ? "" : null;
  }
}

/**
 * Renews outputs of results whose scanner and protocol have just been read from the header. While
 * any scanner is stopped, a result with an unread header has no percentiles.
 */
async function noteRead(db: Database, seriesIds: readonly number[]): Promise<void> {
  if (!(await listStops(db)).some(isWithholding)) return;
  const pids = await listMeasuredStudies(db, seriesIds);
  await db.transaction().execute(async (tx) => {
    await outdateFindings(tx, pids);
    await noteChanges(tx, pids, "norms");
  });
}

/**
 * Names by series id, from the database or the headers; empty if a header has no name, none for a
 * header that cannot be read now. Each header is read only once, unless its reading failed.
 */
async function namesOf(
  services: HeaderSource,
  of: HeaderName,
  seriesIds: readonly number[],
): Promise<Map<number, string>> {
  const names = await listHeaderNames(services.db, of, seriesIds), read: number[] = [];
  for (const id of seriesIds) {
    if (names.has(id)) continue;
    const name = await readName(services, id, of);
    if (name === null) continue;
    await setHeaderName(services.db, of, id, name);
    names.set(id, name);
    read.push(id);
  }
  if (of !== "coil" && read.length > 0) await noteRead(services.db, read);
  return names;
}

/** Scanner names by series id, see {@link namesOf}. */
export const scannersOf = (services: HeaderSource, seriesIds: readonly number[]) =>
  namesOf(services, "scanner", seriesIds);

export const scannerOf = async (services: ServiceContext, seriesId: number): Promise<string> =>
  (await scannersOf(services, [seriesId])).get(seriesId) ?? "";

/** Protocol names by series id, see {@link namesOf}. */
export const protocolsOf = (services: HeaderSource, seriesIds: readonly number[]) =>
  namesOf(services, "protocol", seriesIds);

export const protocolOfStored = async (
  services: ServiceContext,
  seriesId: number,
): Promise<string> => (await protocolsOf(services, [seriesId])).get(seriesId) ?? "";

/** Names of receive coils by series id, see {@link namesOf}. */
export const coilsOf = (services: HeaderSource, seriesIds: readonly number[]) =>
  namesOf(services, "coil", seriesIds);
