/**
 * Copies DICOM attributes of stored images to the database, for searches.
 * Attributes are read once, at the upload or after an upgrade.
 */
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import { AppError } from "@/model/errors.ts";
import { withoutEnd } from "@/model/text_end.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import { logConnection } from "@/server/core/connections/storage/connection_log.ts";
import type { CatchUpTask, Pace } from "@/server/core/jobs/catch_up.ts";
import {
  HEADER_COLUMNS,
  type InstanceAttributes,
  listSeriesWithoutHeader,
  listUnreadInstances,
  noteUnreadableFile,
  saveInstanceAttributes,
  saveSeriesHeader,
  type SeriesHeader,
  type UnreadFile,
} from "@/server/core/studies/storage/series_headers.ts";
import { storedAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";
import {
  announceMatch,
  noteAccession,
  type OrderMatch,
} from "@/server/core/studies/service/orders/match_orders.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import { nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

/** Maximum length of stored attributes; if they are longer, only short attributes are kept. */
const MAX_ATTRIBUTES_CHARS = 65_536;
/** Maximum length of a column: an index of PostgreSQL refuses values above 2704 bytes. */
const MAX_COLUMN_CHARS = 512;
const SERIES_AT_ONCE = 5, INSTANCES_AT_ONCE = 10;

/** Values of an attribute as texts. A name is its component groups, separated by `=`. */
const textsOf = (json: JsonDataSet, tag: string): string[] =>
  (json[tag]?.Value ?? []).map((value) => {
    if (typeof value !== "object" || value === null) return String(value ?? "");
    const { Alphabetic = "", Ideographic = "", Phonetic = "" } = value as Record<string, string>;
    return withoutEnd([Alphabetic, Ideographic, Phonetic].join("="), "=");
  });

/** Reads the attributes of a stored image from its file. @throws {AppError} as `storedAnswer()`. */
export async function attributesOfFile(
  services: ServiceContext,
  blob: string,
): Promise<JsonDataSet> {
  const encoding = encodingTerm((await groupSettings(services.db)).dicom_encoding_id);
  return await storedAnswer(services, blob, "attributes", { encoding });
}

/** Database row of a series, from attributes of its first image; `null` for an unreadable file. */
export function headerOf(json: JsonDataSet | null): SeriesHeader {
  const columns = Object.fromEntries(
    Object.entries(HEADER_COLUMNS).map((
      [tag, column],
    ) => [column, textsOf(json ?? {}, tag).join("\\").slice(0, MAX_COLUMN_CHARS)]),
  ) as Omit<SeriesHeader, "attributes">;
  if (json === null) return { ...columns, attributes: null };
  const attributes = JSON.stringify(json);
  if (attributes.length <= MAX_ATTRIBUTES_CHARS) return { ...columns, attributes: attributes };
  const short = Object.entries(json).filter(([, value]) => JSON.stringify(value).length <= 1024)
    .slice(0, 60);
  return { ...columns, attributes: JSON.stringify(Object.fromEntries(short)) };
}

const numberOf = (json: JsonDataSet, tag: string): number | null => {
  const value = Number(textsOf(json, tag)[0] ?? NaN);
  return Number.isSafeInteger(value) ? value : null;
};

/** Database values of one image. */
export const instanceOf = (json: JsonDataSet): InstanceAttributes => ({
  sopClass: textsOf(json, "00080016")[0] ?? "",
  instanceNumber: numberOf(json, "00200013"),
  rows: numberOf(json, "00280010"),
  columns: numberOf(json, "00280011"),
  frames: numberOf(json, "00280008"),
});

/**
 * Attributes of an image for responses to searches. @param first
 * Attributes of the first image of the series.
 */
export function attributesOf(header: InstanceHeader, first: JsonDataSet): InstanceAttributes {
  const { instanceNumber = null, rows, columns, frameCount } = header,
    { sopClass, frames } = instanceOf(first);
  return {
    sopClass,
    instanceNumber: Number.isSafeInteger(instanceNumber) ? instanceNumber : null,
    rows,
    columns,
    frames: frames === null ? null : frameCount,
  };
}

const NOT_READ: InstanceAttributes = {
  sopClass: "",
  instanceNumber: null,
  rows: null,
  columns: null,
  frames: null,
};

/**
 * Stores the header of a series, in a transaction.
 * A study without accession number gets that of the header, and is joined with its orders.
 */
export async function storeSeriesHeader(
  tx: Database,
  { pid, seriesId }: { pid: number; seriesId: number },
  header: SeriesHeader,
): Promise<OrderMatch> {
  await saveSeriesHeader(tx, { pid, seriesId }, header);
  return header.accession_number === ""
    ? { changed: [], isOrderChanged: false }
    : await noteAccession(tx, pid, header.accession_number);
}

/** Codes of errors that concern a single file. */
const OF_ONE_FILE: ReadonlySet<string> = new Set([
  "engine.unsupported_input",
  "file.damaged",
  "upload.format_not_supported",
]);

/**
 * Reads a file. If it is unreadable, its name and the reason are recorded; the result is `null`.
 * @throws errors that also affect other files: the file is read again at the next start.
 */
async function readOrSetAside(
  services: ServiceContext,
  file: UnreadFile,
  pace: Pace,
): Promise<JsonDataSet | null> {
  const { db, log } = services;
  try {
    return await attributesOfFile(services, file.blob);
  } catch (error) {
    if (error instanceof AppError && error.code === "server.busy") {
      await pace.rest();
      return await readOrSetAside(services, file, pace);
    }
    if (!(error instanceof AppError && OF_ONE_FILE.has(error.code))) throw error;
    const { blob, pid } = file, reason = error.message;
    if (await noteUnreadableFile(db, file, { reason, at: nowIso() })) {
      log("warn", "A stored file cannot be read", { blob, pid, reason });
      // the Connections page lists this file with unreadable files that other systems have sent
      const details = { reason: "unreadable", file: blob }, peer = "", address = "";
      await logConnection(db, {
        at: nowIso(),
        peer,
        address,
        event: "unusable",
        isError: true,
        details,
      });
    }
    return null;
  }
}

async function readSeries(services: ServiceContext, pace: Pace): Promise<void> {
  for (let lastId = Number.MAX_SAFE_INTEGER;;) {
    const files = await listSeriesWithoutHeader(services.db, lastId, SERIES_AT_ONCE);
    if (files.length === 0) return;
    for (const file of files) {
      if (file.blob === "") continue;
      const header = headerOf(await readOrSetAside(services, file, pace));
      const match = await services.db.transaction().execute((tx) =>
        storeSeriesHeader(tx, file, header)
      );
      announceMatch(services.publish, match);
    }
    lastId = files.at(-1)!.seriesId;
    await pace.rest();
  }
}

async function readInstances(services: ServiceContext, pace: Pace): Promise<void> {
  const { db } = services;
  for (;;) {
    const files = await listUnreadInstances(db, INSTANCES_AT_ONCE), read: InstanceAttributes[] = [];
    if (files.length === 0) return;
    for (const file of files) {
      const json = await readOrSetAside(services, file, pace);
      read.push(json === null ? NOT_READ : instanceOf(json));
    }
    // one transaction for the batch, so that its files are no longer listed as unread
    await db.transaction().execute(async (tx) => {
      for (const [i, file] of files.entries()) {
        await saveInstanceAttributes(tx, file.instanceId, read[i]!);
      }
    });
    await pace.rest();
  }
}

/**
 * Reads missing headers after an upgrade: first of series, which searches use, then of images.
 */
export const headersCatchUp = (services: ServiceContext): CatchUpTask => ({
  name: "read the headers of stored images",
  async run(pace) {
    await readSeries(services, pace);
    await readInstances(services, pace);
  },
});
