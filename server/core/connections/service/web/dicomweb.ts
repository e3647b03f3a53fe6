import { AppError } from "@/model/errors.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import {
  listedAttributes,
  noteUnreadable,
  storedAttributes,
  storedSyntax,
  type WebInstance,
} from "@/server/core/connections/service/web/attributes.ts";
import {
  resultBytes,
  resultFile,
  type WebResult,
  webResults,
} from "@/server/core/connections/service/web/results.ts";
import { findPatientByStudy } from "@/server/core/studies/storage/patients.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const EXPLICIT_LE = "1.2.840.10008.1.2.1";

const notFound = () => new AppError("entity.not_found", "Cannot answer: there is no such object");

/**
 * Stored instances of a study, of one of its series, or one of them. @throws {AppError}
 * `entity.not_found`.
 */
async function webInstances(
  { db }: ServiceContext,
  studyUid: string,
  seriesUid?: string,
  sopUid?: string,
): Promise<WebInstance[]> {
  const study = await findPatientByStudy(db, studyUid);
  if (!study) throw notFound();
  const { pid } = study.row;
  const rows = await db.selectFrom("instances as i").innerJoin("series as s", "s.id", "i.series_id")
    .select([
      "s.id as series_id",
      "s.series_uid",
      "s.description",
      "i.sop_uid",
      "i.blob",
      "i.sop_class",
      "i.instance_number",
      "i.pixel_rows",
      "i.pixel_columns",
      "i.frames",
    ]).where("i.pid", "=", pid).orderBy("i.id").execute();
  const matches = rows.filter((row) =>
    (seriesUid === undefined || row.series_uid === seriesUid) &&
    (sopUid === undefined || row.sop_uid === sopUid)
  );
  if (matches.length === 0) throw notFound();
  return matches.map((row) => ({
    pid,
    seriesId: row.series_id,
    seriesUid: row.series_uid,
    sopUid: row.sop_uid,
    description: row.description,
    blob: row.blob,
    attributes: row.sop_class === null ? null : {
      sopClass: row.sop_class,
      instanceNumber: row.instance_number,
      rows: row.pixel_rows,
      columns: row.pixel_columns,
      frames: row.frames,
    },
  }));
}

/** A stored instance, or a result. */
export type WebObject = WebInstance | WebResult;

/**
 * Objects of a study, of one of its series, or one object: images, then results.
 * @throws {AppError} `entity.not_found`.
 */
export async function webObjects(
  services: ServiceContext,
  studyUid: string,
  seriesUid?: string,
  sopUid?: string,
): Promise<WebObject[]> {
  const study = await findPatientByStudy(services.db, studyUid);
  if (!study) throw notFound();
  const stored = await webInstances(services, studyUid, seriesUid, sopUid).catch((error) => {
    if (error instanceof AppError) return [];
    throw error;
  });
  // a series is of images or of results
  if (seriesUid !== undefined && stored.length > 0) return stored;
  const derived = await webResults(services, study.row.pid).catch((error) => {
    // results repeat attributes of the images: without those of a damaged file there are none, and
    // the images stay
    if (stored.length === 0 || !(error instanceof AppError)) throw error;
    noteUnreadable(services, `results of study ${study.row.pid}`, error);
    return [];
  });
  const results = derived.filter((one) =>
    (seriesUid === undefined || one.seriesUid === seriesUid) &&
    (sopUid === undefined || one.sopUid === sopUid)
  );
  if (stored.length + results.length === 0) throw notFound();
  return [...stored, ...results];
}

/** The whole file of an object, in pieces. */
export async function* webFile(
  { blobs }: ServiceContext,
  object: WebObject,
): AsyncGenerator<Uint8Array> {
  if ("blob" in object) yield* await blobs.stream(object.blob);
  else yield* resultFile(object);
}

/** The whole file of an object. */
export const webBytes = (
  { blobs }: ServiceContext,
  object: WebObject,
): Promise<Uint8Array<ArrayBuffer>> =>
  "blob" in object ? blobs.read(object.blob) : resultBytes(object);

/** The transfer syntax that an object is kept in. @throws {AppError} as {@link storedSyntax}. */
export const webSyntax = async (services: ServiceContext, object: WebObject): Promise<string> =>
  "blob" in object ? await storedSyntax(services, object) : EXPLICIT_LE;

/** Attributes of a report that metadata give as a reference (PS3.18 §F.2.6). */
const BULK_TAGS = ["00420011"];

/**
 * Attributes of an object as DICOM JSON.
 * @param isListed It is one of many: when its file cannot be read, the attributes that the database
 *   has are the answer.
 * @param root Address of the study's objects, for references.
 * @throws {AppError} as {@link storedAttributes}, unless it is listed.
 */
export async function webMetadata(
  services: ServiceContext,
  object: WebObject,
  isListed: boolean,
  root = "",
): Promise<JsonDataSet> {
  if (!("blob" in object)) {
    const { json, seriesUid, sopUid } = object,
      uri = `${root}/series/${seriesUid}/instances/${sopUid}/bulkdata`;
    const isDocument = json["00420012"] !== undefined;
    const bulk = isDocument
      ? BULK_TAGS.map((tag) => [tag, { vr: "OB", BulkDataURI: `${uri}/${tag}` }])
      : [];
    return { ...json, ...Object.fromEntries(bulk) as JsonDataSet };
  }
  return await (isListed ? listedAttributes : storedAttributes)(services, object);
}
