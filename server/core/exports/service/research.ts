/**
 * Makes DICOM objects for research: de-identified, one pseudonym per person, optionally defaced.
 */
import { affineFromRowMajor, type Shape } from "@/model/geometry.ts";
import { AppError } from "@/model/errors.ts";
import { defacedVoxels, type FaceRegion, faceRegion } from "@/server/core/dicom/deidentify/face.ts";
import {
  type Deidentification,
  METHODS,
  pseudonym,
  shiftDays,
  shiftedDate,
} from "@/server/core/dicom/deidentify/identity.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { faceMessage, type MaskedFile } from "@/server/core/dicom/worker/masked_message.ts";
import { readDicom } from "@/server/core/dicom/worker/reader.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import { maskedUid } from "@/server/core/dicom/write/uid.ts";
import { listFiles } from "@/server/core/analyses/storage/analyses.ts";
import { listStoredInstances } from "@/server/core/studies/storage/series.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { encodeNpy, npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import { deidentificationOf } from "@/server/core/exports/service/deidentified.ts";
import type { ObjectOptions } from "@/server/core/exports/service/analysed_study.ts";
import { completedAnalyses, mustFindPatient } from "@/server/core/studies/service/patients.ts";

const DAY_MS = 86_400_000;

/**
 * A series with its attributes changed as in {@link deidentifyFile}.
 * Results made for this series refer to the de-identified images.
 */
function maskedSeries(options: Deidentification, source: SourceSeries): SourceSeries {
  const mask = (uid: string) => maskedUid(options.key, uid), name = pseudonym(options);
  return {
    ...source,
    identity: {
      PatientName: name,
      PatientID: name,
      PatientBirthDate: "",
      PatientSex: "",
      PatientIdentityRemoved: "YES",
      DeidentificationMethod: METHODS.shifted,
      StudyInstanceUID: mask(source.studyUid),
      StudyDate: shiftedDate(String(source.identity.StudyDate ?? ""), shiftDays(options)),
      StudyTime: "",
      ReferringPhysicianName: "",
      StudyID: "",
      AccessionNumber: "",
    },
    studyUid: mask(source.studyUid),
    seriesUid: mask(source.seriesUid),
    frameOfReferenceUid: mask(source.frameOfReferenceUid),
    positionReference: "",
    slices: source.slices.map((slice) => ({
      ...slice,
      sopInstanceUid: mask(slice.sopInstanceUid),
    })),
  };
}

/**
 * Options with which results of a study are made for research.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function researchOptions(
  services: ServiceContext,
  pid: number,
): Promise<ObjectOptions> {
  const options = await deidentificationOf(services, pid, "shifted"), days = shiftDays(options);
  return {
    masked: {
      source: (source) => maskedSeries(options, source),
      instant: (iso) => new Date(Date.parse(iso) - days * DAY_MS).toISOString(),
    },
  };
}

const noFace = (message: string) =>
  new AppError("engine.unsupported_input", `Cannot remove the face: ${message}`, {
    reason: "deface",
  });

/**
 * Finds the face region in each analysed series.
 * @throws {AppError} `engine.unsupported_input` if the T1w series was not registered to the atlas.
 */
async function facesOf(services: ServiceContext, pid: number): Promise<Map<number, FaceRegion>> {
  const { db, blobs } = services, patient = await mustFindPatient(db, pid);
  const { t1, t2 } = await completedAnalyses(db, patient), results = t1?.results;
  const rows = results?.quality.subjectFromAtlasRows;
  const file = t1 && (await listFiles(db, t1.id)).find(({ field }) => field === "t1w_mask_file");
  if (!t1 || !results || !file || !Array.isArray(rows) || rows.length !== 16) {
    throw noFace("the T1w series has no registration");
  }
  const grid = {
    labels: npyVoxels(await blobs.read(file.blob)),
    shape: results.shape as Shape,
    rasFromIjk: affineFromRowMajor<"Ras", "Ijk">(results.rasFromIjkRows),
    subjectFromAtlas: affineFromRowMajor<"Ras", "Ras">(rows as number[]),
  };
  const faces = new Map([[t1.seriesId, faceRegion(grid)]]);
  if (t2?.flair) {
    const t1FromSeries = affineFromRowMajor<"Ras", "Ras">(t2.flair.t1FromFlairRows);
    faces.set(t2.seriesId, faceRegion({ ...grid, t1FromSeries }));
  }
  return faces;
}

/**
 * Defaced T1w images on the results' grid as a NumPy array file, for visual inspection.
 * Images sent to a research destination are defaced in the same way.
 * @throws {AppError} `engine.unsupported_input` if the T1w series was not registered to the atlas;
 * `study.deleted` or `entity.not_found` if the study does not exist.
 */
export async function defacedView(
  services: ServiceContext,
  pid: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const { db, blobs } = services, { analysisId } = await mustFindPatient(db, pid);
  const faces = await facesOf(services, pid);
  const file = (await listFiles(db, analysisId.t1!)).find(({ field }) => field === "t1w_file");
  if (!file) throw noFace("the T1w series has no images on the results' grid");
  const [face] = faces.values();
  return encodeNpy(defacedVoxels(npyVoxels(await blobs.read(file.blob)), face!), face!.shape);
}

/** Wraps a de-identified image as a file that can be sent. */
const fileOf = ({ bytes, ...identifiers }: MaskedFile): DicomFile => ({
  ...identifiers,
  sizeBytes: bytes.length,
  *chunks() {
    yield bytes;
  },
});

/**
 * De-identified images of a study, made one at a time.
 * Dates are shifted by a number of days that is the same for all studies of a person.
 *
 * @param isDefaced Whether to yield only the analysed series, with the face removed.
 * Images with the patient's name burned into the pixels are never included.
 * @throws {AppError} `engine.unsupported_input` if a face cannot be removed; no image follows.
 */
export async function* researchImages(
  services: ServiceContext,
  pid: number,
  isDefaced: boolean,
): AsyncGenerator<DicomFile> {
  const { db, blobs, reader } = services;
  const options = await deidentificationOf(services, pid, "shifted");
  const faces = isDefaced ? await facesOf(services, pid) : null;
  for (const { seriesId, blob } of await listStoredInstances(db, pid)) {
    const region = faces?.get(seriesId);
    if (faces && !region) continue;
    const bytes = await blobs.read(blob), face = region ? faceMessage(region) : null;
    const masked = await readDicom(reader, { kind: "masked", bytes, options, face }, true);
    if (masked) yield fileOf(masked);
  }
}
