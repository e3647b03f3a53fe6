import { measureStudy } from "@/model/measured/measured_study.ts";
import { AppError } from "@/model/errors.ts";
import { textIn } from "@/model/text.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { dicomText } from "@/model/text/dicom.ts";
import { type DicomKind, dicomKind } from "@/model/schema/report/dicom.ts";
import type { ReportFilter } from "@/model/schema/report/report.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import type { Maker } from "@/server/core/dicom/write/derived_object.ts";
import { encapsulatedPdfFile } from "@/server/core/dicom/write/encapsulated_pdf.ts";
import { keyImageFile, keyObjectFile } from "@/server/core/dicom/write/key_images.ts";
import {
  type MeasuredStructure,
  measurementReportFile,
} from "@/server/core/dicom/write/measurement_report.ts";
import { hospitalName } from "@/server/core/accounts/service/my_page.ts";
import { outlineReportFile } from "@/server/core/dicom/write/outline_report.ts";
import { secondaryCaptureFile } from "@/server/core/dicom/write/secondary_capture.ts";
import { segmentationFile, segmentationReference } from "@/server/core/dicom/write/segmentation.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import type { Signature } from "@/server/core/dicom/write/verification.ts";
import { findKeyImage, listKeyImages } from "@/server/core/reading/storage/key_images.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import {
  flairStructures,
  qualityOfReport,
  t1Structures,
} from "@/server/core/exports/service/dicom_segments.ts";
import {
  changedLesions,
  changeStructures,
} from "@/server/core/exports/service/lesion_change_results.ts";
import {
  latestReading,
  lesionSubject,
  type MappedSubject,
  onSlices,
  regionSubject,
} from "@/server/core/exports/service/label_maps.ts";
import { percentileMap, thicknessMap } from "@/server/core/exports/service/parametric_maps.ts";
import { readMta } from "@/server/core/reports/service/mta.ts";
import { decodePng } from "@/report/pdf/decode_png.ts";
import {
  type Analysed,
  type AnalysedStudy,
  analysedStudy,
  type ObjectOptions,
} from "@/server/core/exports/service/analysed_study.ts";
import { automaticComment, studyComment } from "@/server/core/reports/service/conclusion.ts";
import { changeInstants, instantFor } from "@/server/core/connections/storage/result_changes.ts";
import { signedTextOf } from "@/server/core/reports/service/signed_text.ts";
import { getReportPdf } from "@/server/core/reports/service/report.ts";
import { individualSettings } from "@/server/core/settings/service/settings.ts";
import { VERSION } from "@/server/core/site/service/status.ts";

/** A result as a DICOM object, with the file name for downloads. */
export interface DicomResult {
  kind: DicomKind;
  fileName: string;
  file: DicomFile;
}

async function segmentation(
  services: ServiceContext,
  mapped: MappedSubject | null,
  analysed: Analysed | null,
): Promise<DicomFile | null> {
  if (!mapped || !analysed) return null;
  const { subject } = mapped, labels = await onSlices(services, mapped, analysed);
  // a lesion smaller than the slice spacing may be between two slices, and have no voxel there
  const isEmpty = !subject.segments.some(({ label }) => labels.includes(label));
  return isEmpty ? null : segmentationFile(subject, labels);
}

/** Segmentation of lesions that changed since the previous study; `null` without any. */
async function changesOf(services: ServiceContext, study: AnalysedStudy) {
  const { pid, patient_id: patientId } = study.patient.row;
  if (!study.flair) return null;
  const { source, maker } = study.flair;
  const judged = { source, maker: await latestReading(services, study, "changes", maker) };
  return await changedLesions(services, { pid, patientId }, judged, study);
}

/** Lesions as outlines on the FLAIR slices, with their volumes; `null` without lesions. */
async function outlines(
  services: ServiceContext,
  study: AnalysedStudy,
): Promise<DicomFile | null> {
  const { flair, t1, isMasked } = study, marked = await lesionSubject(services, study);
  if (!marked || !flair?.analysis.flair) return null;
  const { subject } = marked, { source, maker } = flair;
  const structures = flairStructures(
    { source, engine: maker.engine, subject },
    flair.analysis.flair,
    t1?.analysis.results ?? null,
  ).flatMap((structure) => {
    const label = structure.segment && subject.segments[structure.segment.number - 1]?.label;
    return label ? [{ structure: isMasked ? withoutReader(structure) : structure, label }] : [];
  });
  return outlineReportFile({
    source,
    maker: await latestReading(services, study, "outlines", maker),
    structures,
    labels: await onSlices(services, marked, flair),
    signature: await signatureOf(services, study),
  });
}

/** Signature that applies to the results; `null` in de-identified objects, which name no user. */
async function signatureOf(
  { db }: ServiceContext,
  { patient, isMasked }: AnalysedStudy,
): Promise<Signature | null> {
  const signed = isMasked ? null : await signedTextOf(db, patient.row.pid);
  if (!signed || signed.is_outdated) return null;
  return { by: signed.author, organization: await hospitalName(db), at: signed.signed_at };
}

/** Removes the reader's name: de-identified objects must not name users of the site. */
const withoutReader = (one: MeasuredStructure): MeasuredStructure =>
  one.corrected ? { ...one, corrected: { ...one.corrected, by: "" } } : one;

async function measurements(services: ServiceContext, study: AnalysedStudy): Promise<DicomFile> {
  const { t1, flair, norms: { method, name } } = study;
  const regions = (await regionSubject(services, study))?.subject ?? null,
    marked = await lesionSubject(services, study);
  // the lesions are referenced only if their segmentation has voxels and is therefore exported
  const lesions = marked && await segmentation(services, marked, flair) ? marked.subject : null;
  const changes = await changesOf(services, study);
  const subjects = [regions, lesions, changes?.subject ?? null].filter((subject) =>
    subject !== null
  );
  const { row } = study.patient, results = t1?.analysis.results ?? null;
  const flairResults = flair?.analysis.flair ?? null;
  const figures = measureStudy({ patient: row, t1: results, flair: flairResults, method });
  // de-identified objects omit the signed text, because users may type the patient's name into it
  const { signed, suggested } = study.isMasked
    ? { signed: null, suggested: await automaticComment(services, row.pid, "en", false) }
    : await studyComment(services, row.pid, "en");
  const structures = [
    ...results && regions ? t1Structures(regions, results, figures, normsName(name, "en")) : [],
    ...flair && flairResults
      ? flairStructures(
        { source: flair.source, engine: flair.maker.engine, subject: lesions },
        flairResults,
        results,
      )
      : [],
    ...changes ? changeStructures(changes) : [],
  ];
  return measurementReportFile({
    sources: [t1, flair].flatMap((analysed) => analysed ? [analysed.source] : []),
    maker: await latestReading(services, study, "measurements"),
    segmentations: subjects.map(segmentationReference),
    structures: study.isMasked ? structures.map(withoutReader) : structures,
    impression: signed,
    signature: await signatureOf(services, study),
    quality: qualityOfReport(figures, flairResults, suggested),
  });
}

/** The report as Encapsulated PDF, with the patient identity that the PACS has for the images. */
async function reportDocument(
  services: ServiceContext,
  study: AnalysedStudy,
  filter: ReportFilter,
  caller: Caller,
): Promise<{ sources: SourceSeries[]; maker: Maker; pdf: Uint8Array }> {
  const { pid } = study.patient.row;
  const mta = await readMta(services.db, pid),
    made = await latestReading(services, study, "report");
  const asOf = mta && mta.entered_at > made.finishedAt ? mta.entered_at : made.finishedAt;
  const whose = { ...filter, anonymize: study.isMasked ? "true" as const : "false" as const };
  const { bytes } = await getReportPdf(services, pid, whose, caller, asOf);
  return {
    sources: [study.t1, study.flair].flatMap((analysed) => analysed ? [analysed.source] : []),
    maker: { ...made, finishedAt: asOf },
    pdf: bytes,
  };
}

/** The report as a PDF dated by its results, so that equal results give identical bytes. */
async function report(
  services: ServiceContext,
  study: AnalysedStudy,
  filter: ReportFilter,
  caller: Caller,
): Promise<DicomFile> {
  const language = filter.language ??
    (await individualSettings(services, caller.uid)).report.language;
  return encapsulatedPdfFile({
    ...await reportDocument(services, study, filter, caller),
    title: textIn(dicomText.documentTitle, language),
  });
}

const makers: Record<
  DicomKind,
  (
    services: ServiceContext,
    study: AnalysedStudy,
    filter: ReportFilter,
    caller: Caller,
  ) => Promise<DicomFile | null>
> = {
  report,
  measurements,
  regions: async (services, study) =>
    await segmentation(services, await regionSubject(services, study), study.t1),
  lesions: async (services, study) =>
    await segmentation(services, await lesionSubject(services, study), study.flair),
  outlines,
  changes: async (services, study) => {
    const changes = await changesOf(services, study);
    return changes && segmentationFile(changes.subject, changes.labels);
  },
  thickness: thicknessMap,
  percentiles: percentileMap,
};

/** File name "{patient_id}_{study_date}"; characters that file systems refuse become "_". */
const stemOf = ({ row }: StoredPatient) =>
  // deno-lint-ignore no-control-regex -- the expression replaces control characters
  `${row.patient_id.replace(/[\u0000-\u001f\u007f<>:"/\\|?*]+/g, "_") || "patient"}_${
    row.study_date ?? "no-date"
  }`;

const resultOf = (patient: StoredPatient, kind: DicomKind, file: DicomFile): DicomResult => ({
  kind,
  fileName: `${stemOf(patient)}_${kind}.dcm`,
  file,
});

/**
 * Makes one result of a study as a DICOM object that belongs to the same study.
 * The patient identity is as in the images, or as edited. Repeated calls give the same object.
 *
 * @param filter Pages and language of the report; `anonymize` is ignored.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`; `entity.not_found` without this result.
 */
export async function getDicomResult(
  services: ServiceContext,
  pid: number,
  kind: DicomKind,
  filter: ReportFilter,
  caller: Caller,
  options: ObjectOptions = {},
): Promise<DicomResult> {
  const study = await analysedStudy(services, pid, options);
  const file = await makers[kind](services, study, filter, caller);
  if (!file) {
    throw new AppError("entity.not_found", `Cannot export study ${pid}: it has no ${kind}`, {
      pid,
    });
  }
  return resultOf(study.patient, kind, file);
}

/**
 * Report pages of a study as Secondary Captures, made one at a time; see {@link getDicomResult}.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
export async function* listReportPages(
  services: ServiceContext,
  pid: number,
  filter: ReportFilter,
  caller: Caller,
  options: ObjectOptions = {},
): AsyncGenerator<DicomFile> {
  const study = await analysedStudy(services, pid, options);
  const document = await reportDocument(services, study, filter, caller);
  for (let at = 0, pages = 1; at < pages; at++) {
    const page = await services.pdf.page(document.pdf, at);
    pages = page.pages;
    yield secondaryCaptureFile({ ...document, at, page });
  }
}

/**
 * The readers' key images, and a document that refers to them.
 * Empty if the study has no key image, or none that can be read.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`.
 */
export async function* listKeyImageObjects(
  services: ServiceContext,
  pid: number,
): AsyncGenerator<DicomFile> {
  const { db } = services, { t1, flair } = await analysedStudy(services, pid);
  const sources = [t1, flair].flatMap((analysed) => analysed ? [analysed.source] : []);
  const files: DicomFile[] = [], notes: string[] = [];
  const editedAt = instantFor(await changeInstants(db, pid), "key_images") ?? "";
  let changedAt = "";
  for (const image of await listKeyImages(db, pid)) {
    const { id, note } = image, createdAt = [image.createdAt, editedAt].sort().at(-1)!;
    const picture = decodePng((await findKeyImage(db, pid, id))?.picture ?? new Uint8Array());
    if (!picture) continue;
    const file = keyImageFile(sources, VERSION, { number: id, note, createdAt, ...picture });
    yield file;
    files.push(file);
    notes.push(note);
    changedAt = createdAt;
  }
  if (files.length > 0) yield keyObjectFile(sources, VERSION, files, notes, changedAt);
}

/**
 * All results of a study as DICOM objects, made one at a time; see {@link getDicomResult}.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
export async function listDicomResults(
  services: ServiceContext,
  pid: number,
  filter: ReportFilter,
  caller: Caller,
): Promise<{ fileName: string; results: AsyncIterable<DicomResult> }> {
  const study = await analysedStudy(services, pid);
  async function* results() {
    for (const kind of dicomKind.options) {
      const file = await makers[kind](services, study, filter, caller);
      if (file) yield resultOf(study.patient, kind, file);
    }
  }
  return { fileName: `${stemOf(study.patient)}_dicom.zip`, results: results() };
}
