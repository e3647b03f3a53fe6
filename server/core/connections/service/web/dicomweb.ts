import { AppError } from "@/model/errors.ts";
import { SOP_CLASS } from "@/server/core/dicom/write/derived_object.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import {
  listedAttributes,
  noteUnreadable,
  storedAttributes,
  storedSyntax,
  type WebInstance,
} from "@/server/core/connections/service/web/attributes.ts";
import {
  drawFrame,
  type Rendering,
  storedFrames,
  storedValue,
  type WebPart,
} from "@/server/core/connections/service/web/object_parts.ts";
import {
  headValue,
  oneFrameFile,
  resultFrames,
} from "@/server/core/connections/service/web/result_frames.ts";
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
 * Stored instances of a study or of a series, or a single instance.
 * @throws {AppError} `entity.not_found`.
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

/** An object that DICOMweb returns: a stored image, or a result of an analysis. */
export type WebObject = WebInstance | WebResult;

/**
 * Objects of a study or of a series, or a single object: images first, then results.
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
  // a series contains either images or results, never both
  if (seriesUid !== undefined && stored.length > 0) return stored;
  const derived = await webResults(services, study.row.pid).catch((error) => {
    // results copy attributes of the images: if images are damaged, only images are returned
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

/** Complete DICOM file of an object, in chunks. */
export async function* webFile(
  { blobs }: ServiceContext,
  object: WebObject,
): AsyncGenerator<Uint8Array> {
  if ("blob" in object) yield* await blobs.stream(object.blob);
  else yield* resultFile(object);
}

/** Complete DICOM file of an object. */
const webBytes = (
  { blobs }: ServiceContext,
  object: WebObject,
): Promise<Uint8Array<ArrayBuffer>> =>
  "blob" in object ? blobs.read(object.blob) : resultBytes(object);

/**
 * Frames of an object without conversion. @param wanted Frame numbers from 1.
 * @throws {AppError} as `framesOf()`; `server.busy`.
 */
export async function webFrames(
  services: ServiceContext,
  object: WebObject,
  wanted: readonly number[],
): Promise<WebPart[]> {
  return "blob" in object
    ? await storedFrames(services, await webBytes(services, object), wanted)
    : await resultFrames(object, wanted) ??
      await storedFrames(services, await resultBytes(object), wanted);
}

/** A frame of an object as JPEG. @throws {AppError} as `renderFrame()`; `server.busy`. */
export async function webPicture(
  services: ServiceContext,
  object: WebObject,
  rendering: Rendering,
): Promise<Uint8Array<ArrayBuffer>> {
  const alone = "blob" in object ? null : await oneFrameFile(object, rendering.frame);
  return alone
    ? await drawFrame(services, alone, { ...rendering, frame: 1 })
    : await drawFrame(services, await webBytes(services, object), rendering);
}

/** A bulk data value of an object. @throws {AppError} as `bulkDataOf()`; `server.busy`. */
export async function webValue(
  services: ServiceContext,
  object: WebObject,
  tag: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const value = "blob" in object ? null : await headValue(object, tag);
  return value ?? await storedValue(services, await webBytes(services, object), tag);
}

/** Transfer syntax in which an object is stored. @throws {AppError} as {@link storedSyntax}. */
export const webSyntax = async (services: ServiceContext, object: WebObject): Promise<string> =>
  "blob" in object ? await storedSyntax(services, object) : EXPLICIT_LE;

/** Tags that metadata contain as references (PS3.18 §F.2.6), with VR, by SOP class. */
const BULK: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [SOP_CLASS.encapsulatedPdf]: { "00420011": "OB" },
  // the values may be NaN, which JSON cannot contain
  [SOP_CLASS.parametricMap]: { "00280122": "FL", "00280124": "FL" },
};

/**
 * Attributes of an object as DICOM JSON.
 * @param isListed The object is part of a list, in which attributes from the database replace the
 * attributes of an unreadable file.
 * @param root Address of the study's objects, for references to bulk data.
 * @param corrected Corrections of the record, see `correctionsOf()`. Results have them already.
 * @throws {AppError} as {@link storedAttributes}, except in a list.
 */
export async function webMetadata(
  services: ServiceContext,
  object: WebObject,
  isListed: boolean,
  root: string,
  corrected: (json: JsonDataSet) => JsonDataSet,
): Promise<JsonDataSet> {
  if (!("blob" in object)) {
    const { json, seriesUid, sopUid, sopClassUid } = object;
    const uri = `${root}/series/${seriesUid}/instances/${sopUid}/bulkdata`;
    const bulk = Object.entries(BULK[sopClassUid] ?? {})
      .map(([tag, vr]) => [tag, { vr, BulkDataURI: `${uri}/${tag}` }]);
    return { ...json, ...Object.fromEntries(bulk) as JsonDataSet };
  }
  const json = await (isListed ? listedAttributes : storedAttributes)(services, object);
  return corrected(json);
}
