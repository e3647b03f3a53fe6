import { measureStudy } from "@/model/measured/measured_study.ts";
import { affineFromRowMajor, compose, type Shape } from "@/model/geometry.ts";
import { AppError } from "@/model/errors.ts";
import { textIn } from "@/model/text.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { dicomText } from "@/model/text/dicom.ts";
import { isOutdatedBy } from "@/model/report/corrected_results.ts";
import type { ResultKind } from "@/model/schema/connections/connections.ts";
import { type DicomKind, dicomKind } from "@/model/schema/report/dicom.ts";
import type { ReportFilter } from "@/model/schema/report/report.ts";
import { code } from "@/server/core/dicom/write/codes.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import type { Maker } from "@/server/core/dicom/write/derived_object.ts";
import { encapsulatedPdfFile } from "@/server/core/dicom/write/encapsulated_pdf.ts";
import { keyImageFile, keyObjectFile } from "@/server/core/dicom/write/key_images.ts";
import {
  type MeasuredStructure,
  measurementReportFile,
} from "@/server/core/dicom/write/measurement_report.ts";
import { outlineReportFile } from "@/server/core/dicom/write/outline_report.ts";
import { secondaryCaptureFile } from "@/server/core/dicom/write/secondary_capture.ts";
import {
  segmentationFile,
  segmentationReference,
  type SegmentationSubject,
} from "@/server/core/dicom/write/segmentation.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { resampleLabels } from "@/server/core/engine/engine.ts";
import { listFiles, type StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { findKeyImage, listKeyImages } from "@/server/core/reading/storage/key_images.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import {
  flairStructures,
  lesionSegments,
  qualityOfReport,
  regionSegments,
  t1Structures,
} from "@/server/core/exports/service/dicom_segments.ts";
import {
  changedLesions,
  changeStructures,
} from "@/server/core/exports/service/lesion_change_results.ts";
import { readMta } from "@/server/core/reports/service/mta.ts";
import { correctionKey, withStrokes } from "@/server/core/reading/service/stroke_map.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import { decodePng } from "@/report/pdf/decode_png.ts";
import {
  type Analysed,
  type AnalysedStudy,
  analysedStudy,
  type ObjectOptions,
} from "@/server/core/exports/service/analysed_study.ts";
import { automaticComment, studyComment } from "@/server/core/reports/service/conclusion.ts";
import { changeInstants, instantFor } from "@/server/core/connections/storage/result_changes.ts";
import { getReportPdf } from "@/server/core/reports/service/report.ts";
import { individualSettings } from "@/server/core/settings/service/settings.ts";
import { VERSION } from "@/server/core/site/service/status.ts";

/** A result as a DICOM object, with its file name. */
export interface DicomResult {
  kind: DicomKind;
  fileName: string;
  file: DicomFile;
}

/** Segmentation methods of PS3.16 CID 7162: atlas-based labels; lesions by intensity. */
const BY_ATLAS = code("DCM", "123111", "Deformable Models");
const BY_INTENSITY = code("DCM", "123108", "Multispectral Processing");

/** A stored label map with its reader's corrections. */
interface LabelMap {
  /** the map as the analysis made it */
  blob: string;
  /** identifies the map and its corrections; UIDs are made from it and must not change */
  identity: string;
}

/** Label map of an analysis; `null` without one. */
async function labelMapOf(
  { db }: ServiceContext,
  analysis: StoredAnalysis,
  field: "t1w_mask_file" | "t2w_mask_file",
): Promise<LabelMap | null> {
  const blob = (await listFiles(db, analysis.id)).find((file) => file.field === field)?.blob;
  if (!blob) return null;
  const corrections = await correctionKey(db, analysis.id);
  return { blob, identity: corrections ? `${blob} ${corrections}` : blob };
}

/** A segmentation to be made, with the label map that has its voxels. */
interface MappedSubject {
  subject: SegmentationSubject;
  map: LabelMap;
}

/** Description of the region segmentation; `null` without a label map. */
async function regionSubject(
  services: ServiceContext,
  study: AnalysedStudy,
): Promise<MappedSubject | null> {
  const { t1, isLabelMap } = study;
  const map = t1 && await labelMapOf(services, t1.analysis, "t1w_mask_file");
  if (!t1?.analysis.results || !map) return null;
  const subject: SegmentationSubject = {
    source: t1.source,
    maker: await latestReading(services, study, "regions", t1.maker),
    kind: "REGIONS",
    description: "Sulcus: brain regions",
    seriesNumber: 9101,
    family: BY_ATLAS,
    segments: regionSegments(t1.analysis.results),
    mapIdentity: map.identity,
    isLabelMap,
  };
  return { subject, map };
}

/** Description of the lesion segmentation; `null` without lesions. */
async function lesionSubject(
  services: ServiceContext,
  study: AnalysedStudy,
): Promise<MappedSubject | null> {
  const { flair, isLabelMap } = study;
  const map = flair && await labelMapOf(services, flair.analysis, "t2w_mask_file");
  const segments = flair?.analysis.flair ? lesionSegments(flair.analysis.flair) : [];
  if (!flair || !map || segments.length === 0) return null;
  const subject: SegmentationSubject = {
    source: flair.source,
    maker: await latestReading(services, study, "lesions", flair.maker),
    kind: "LESIONS",
    description: "Sulcus: white matter hyperintensities",
    seriesNumber: 9102,
    family: BY_INTENSITY,
    segments,
    mapIdentity: map.identity,
    isLabelMap,
  };
  return { subject, map };
}

/** Resamples a label map from the results' grid to the slices of its series. */
async function onSlices(
  { db, blobs }: ServiceContext,
  { subject: { source }, map }: MappedSubject,
  { analysis: { id, results, flair } }: Analysed,
): Promise<Uint8Array> {
  const { shape, rasFromIjkRows } = (results ?? flair)!;
  const voxels = (await withStrokes(db, id, npyVoxels(await blobs.read(map.blob)))).slice();
  const labels = {
    voxels,
    shape: shape as Shape,
    rasFromIjk: affineFromRowMajor<"Ras", "Ijk">(rasFromIjkRows),
  };
  // lesions are on the T1w grid: the registration maps them to the FLAIR slices
  const rasFromIjk = flair
    ? compose(affineFromRowMajor<"Ras", "Ras">(flair.t1FromFlairRows), source.rasFromIjk)
    : source.rasFromIjk;
  return await resampleLabels(labels, { shape: source.shape, rasFromIjk }) as Uint8Array;
}

async function segmentation(
  services: ServiceContext,
  mapped: MappedSubject | null,
  analysed: Analysed | null,
): Promise<DicomFile | null> {
  if (!mapped || !analysed) return null;
  const { subject } = mapped, labels = await onSlices(services, mapped, analysed);
  // lesions smaller than the slice spacing may be between two slices
  const isEmpty = !subject.segments.some(({ label }) => labels.includes(label));
  return isEmpty ? null : segmentationFile(subject, labels);
}

/** Segmentation of the lesions that changed since the previous study; `null` without any. */
async function changesOf(services: ServiceContext, study: AnalysedStudy) {
  const { pid, patient_id: patientId } = study.patient.row;
  if (!study.flair) return null;
  const { source, maker } = study.flair;
  const judged = { source, maker: await latestReading(services, study, "changes", maker) };
  return await changedLesions(services, { pid, patientId }, judged, study);
}

/** Lesions as outlines, with their volumes; `null` without lesions. */
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
  });
}

/** De-identified objects must not contain names of the site's readers. */
const withoutReader = (one: MeasuredStructure): MeasuredStructure =>
  one.corrected ? { ...one, corrected: { ...one.corrected, by: "" } } : one;

async function measurements(services: ServiceContext, study: AnalysedStudy): Promise<DicomFile> {
  const { t1, flair, norms: { method, name } } = study;
  const regions = (await regionSubject(services, study))?.subject ?? null,
    marked = await lesionSubject(services, study);
  // objects must not refer to a segmentation that does not exist
  const lesions = marked && await segmentation(services, marked, flair) ? marked.subject : null;
  const changes = await changesOf(services, study);
  const subjects = [regions, lesions, changes?.subject ?? null].filter((subject) =>
    subject !== null
  );
  const { row } = study.patient, results = t1?.analysis.results ?? null;
  const flairResults = flair?.analysis.flair ?? null;
  const figures = measureStudy({ patient: row, t1: results, flair: flairResults, method });
  // free text of a user may contain the patient's name
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
    quality: qualityOfReport(figures, flairResults, suggested),
  });
}

/** Software that created objects with the results of both series. */
function latest({ t1, flair }: AnalysedStudy): Maker {
  const makers = [t1, flair].flatMap((analysed) => analysed ? [analysed.maker] : []);
  return makers.reduce((a, b) => b.finishedAt > a.finishedAt ? b : a);
}

/**
 * Software and time for a kind of object: the time of the last change of its percentiles, signed
 * text, verdicts or patient. Any change gives a new object.
 */
async function latestReading(
  { db }: ServiceContext,
  study: AnalysedStudy,
  kind: ResultKind,
  maker: Maker = latest(study),
): Promise<Maker> {
  // a time of the site does not identify a person
  if (study.isMasked) return maker;
  const changedAt = instantFor(await changeInstants(db, study.patient.row.pid), kind);
  const normedAt = isOutdatedBy("norms", kind) ? study.norms.changedAt : null;
  const finishedAt = [maker.finishedAt, normedAt ?? "", changedAt ?? ""].sort().at(-1)!;
  return { ...maker, finishedAt };
}

/** The report as Encapsulated PDF, with the identity under which the archive stores it. */
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

/** The report as PDF, dated by its results, so that equal results give identical bytes. */
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
};

/** File name "{patient_id}_{study_date}", without characters that file systems refuse. */
const stemOf = ({ row }: StoredPatient) =>
  // deno-lint-ignore no-control-regex -- control characters are removed
  `${row.patient_id.replace(/[\u0000-\u001f\u007f<>:"/\\|?*]+/g, "_") || "patient"}_${
    row.study_date ?? "no-date"
  }`;

const resultOf = (patient: StoredPatient, kind: DicomKind, file: DicomFile): DicomResult => ({
  kind,
  fileName: `${stemOf(patient)}_${kind}.dcm`,
  file,
});

/**
 * One result of a study as a DICOM object of the same study, with the identity of the images or as
 * edited. Repeated calls give the same object.
 *
 * @param filter Pages and language of the report; `anonymize` is ignored.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`,
 * `entity.not_found` when the study has no such result.
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
 * Report pages of a study as Secondary Captures, one at a time; see {@link getDicomResult}.
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
 * Key images of the readers with the document that refers to them;
 * empty when there are none, or none is readable.
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
 * All results of a study as DICOM objects, one at a time; see {@link getDicomResult}.
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
