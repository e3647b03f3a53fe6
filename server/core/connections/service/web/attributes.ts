/** DICOM attributes of stored images for DICOMweb, also if image files are unreadable. */
import { AppError } from "@/model/errors.ts";
import type { JsonDataSet } from "@/server/core/dicom/read/dicom_json.ts";
import { damaged } from "@/server/core/dicom/read/source_series.ts";
import { isBusy, readDicom } from "@/server/core/dicom/worker/reader.ts";
import type { BlobStore } from "@/server/core/blobs/blobs.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { attributesOfFile } from "@/server/core/studies/service/headers/series_headers.ts";
import { withEditsInJson } from "@/server/core/studies/service/headers/edited_identity.ts";
import { findPatient } from "@/server/core/studies/storage/patients.ts";
import type { InstanceAttributes } from "@/server/core/studies/storage/series_headers.ts";

/** A stored image (instance) of a study. */
export interface WebInstance {
  pid: number;
  seriesId: number;
  seriesUid: string;
  sopUid: string;
  description: string;
  blob: string;
  /** stored DICOM attributes; `null` until the file has been read */
  attributes: InstanceAttributes | null;
}

/** Size of the beginning of a DICOM file that contains the meta information. */
const META_BYTES = 1 << 16;
/** Maximum number of unreadable files remembered; with more, log entries may repeat. */
const MAX_NOTED = 10_000;

const noted = new WeakMap<BlobStore, Set<string>>();

/** Logs, once per file, that a file is unreadable and that the response was made without it. */
export function noteUnreadable({ blobs, log }: ServiceContext, blob: string, error: unknown): void {
  const names = noted.get(blobs) ?? new Set<string>();
  noted.set(blobs, names);
  if (names.has(blob)) return;
  if (names.size >= MAX_NOTED) names.clear();
  names.add(blob);
  log("warn", "Cannot read a stored file for DICOMweb", { blob, error: String(error) });
}

const element = (vr: string, value: unknown) => ({ vr, Value: [value] });
export const SEX: Readonly<Record<string, string>> = { male: "M", female: "F" };

/** Parses stored DICOM JSON; `null` for missing or damaged text. */
export function readAttributes(text: string | null): JsonDataSet | null {
  if (text === null) return null;
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? json as JsonDataSet : null;
  } catch {
    return null;
  }
}

/** Corrections of a study's record: changes of the patient's identity and of the study date. */
export async function correctionsOf(
  { db }: ServiceContext,
  pid: number,
): Promise<(json: JsonDataSet) => JsonDataSet> {
  const patient = await findPatient(db, pid);
  return (json) => patient === null ? json : withEditsInJson(json, patient);
}

/** DICOM attributes of an image as far as the database contains them. */
export async function columnsOf(
  { db }: ServiceContext,
  instance: Pick<WebInstance, "pid" | "seriesUid" | "sopUid" | "description">,
): Promise<JsonDataSet> {
  const { pid, seriesUid, sopUid, description } = instance;
  const study = await db.selectFrom("patients").select([
    "study_uid",
    "study_date",
    "accession_number",
    "patient_id",
    "patient_name",
    "patient_birthdate",
    "patient_sex",
  ]).where("pid", "=", pid).executeTakeFirstOrThrow();
  const dateOf = (iso: string | null) => iso?.replaceAll("-", "");
  const attributes: [tag: string, vr: string, value: string | undefined | null][] = [
    ["00080018", "UI", sopUid],
    ["00080020", "DA", dateOf(study.study_date)],
    ["00080050", "SH", study.accession_number],
    ["00080060", "CS", "MR"],
    ["0008103E", "LO", description],
    ["00100020", "LO", study.patient_id],
    ["00100030", "DA", dateOf(study.patient_birthdate)],
    ["00100040", "CS", SEX[study.patient_sex ?? ""]],
    ["0020000D", "UI", study.study_uid],
    ["0020000E", "UI", seriesUid],
  ];
  return {
    ...Object.fromEntries(
      attributes.flatMap(([tag, vr, value]) => value ? [[tag, element(vr, value)]] : []),
    ),
    ...(study.patient_name
      ? { "00100010": element("PN", { Alphabetic: study.patient_name }) }
      : {}),
  };
}

/**
 * Attributes of a stored image, read from the image file.
 * @throws {AppError} `engine.unsupported_input` for unreadable attributes; `file.damaged`.
 */
export const storedAttributes = (
  services: ServiceContext,
  { blob }: WebInstance,
): Promise<JsonDataSet> => attributesOfFile(services, blob);

/** Attributes of a stored image for a list: from the file, or from the database if unreadable. */
export async function listedAttributes(
  services: ServiceContext,
  instance: WebInstance,
): Promise<JsonDataSet> {
  try {
    return await storedAttributes(services, instance);
  } catch (error) {
    noteUnreadable(services, instance.blob, error);
    return await columnsOf(services, instance);
  }
}

/**
 * Transfer syntax of a stored image.
 * Only the file meta information is read, because headers can be long.
 * @throws {AppError} `engine.unsupported_input` for a file that is not DICOM; `file.damaged`.
 */
export async function storedSyntax(
  { blobs, reader }: ServiceContext,
  { blob }: WebInstance,
): Promise<string> {
  const bytes = await new Response(await blobs.stream(blob, 0, META_BYTES)).bytes();
  try {
    return await readDicom(reader, { kind: "syntax", bytes });
  } catch (error) {
    throw error instanceof AppError && !isBusy(error)
      ? damaged("its elements are damaged", error)
      : error;
  }
}
