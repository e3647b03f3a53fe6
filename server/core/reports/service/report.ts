import { constants, gunzipSync } from "node:zlib";
import { type FindingPlace, placeOfFinding } from "@/model/findings/finding_labels.ts";
import { byPriority } from "@/model/regions/brain_parts.ts";
import { AppError } from "@/model/errors.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { pagesOf, type ReportType } from "@/model/report/pages.ts";
import type { ImageKey, ReportFilter, ReportResponse } from "@/model/schema/report/report.ts";
import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import { hasContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";
import { LOGO, type Pictures } from "@/report/pdf/pdf.ts";
import { findAnalysis, type StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { listFlairVisits } from "@/server/core/analyses/storage/flair_changes.ts";
import { listVisits, type StoredVisit } from "@/server/core/analyses/storage/longitudinal.ts";
import { findSeries, listInputHashes } from "@/server/core/studies/storage/series.ts";
import { readSettings } from "@/server/core/settings/storage/settings.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { appliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { getLicense, siteTimeZone } from "@/server/core/site/service/license.ts";
import { addMissingFindings } from "@/server/core/analyses/service/finding.ts";
import { methodsOfVisits } from "@/server/core/analyses/service/visit_methods.ts";
import { currentLongitudinal } from "@/server/core/analyses/service/comparable_visits.ts";
import {
  flairLongitudinalOf,
  picturedChanges,
  picturedLesions,
} from "@/server/core/reports/service/report_flair_visits.ts";
import { findingsOf } from "@/server/core/reading/service/findings.ts";
import { findLogo, logoUrl } from "@/server/core/accounts/service/logo.ts";
import { signedTextOf } from "@/server/core/reports/service/signed_text.ts";
import { opinionOf } from "@/server/core/reports/service/opinion.ts";
import { seriesAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";
import { otherPersonVisits, personsOf } from "@/server/core/studies/service/headers/persons.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { OtherPersonVisit } from "@/model/schema/reading/comparables.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { readMta } from "@/server/core/reports/service/mta.ts";
import {
  outlinedIn,
  type PicturedStudy,
  type PlacedPictures,
  placedPictures,
  reportPictures,
} from "@/server/core/reports/service/report_pictures.ts";
import { buildFlairReport } from "@/server/core/reports/service/report_flair.ts";
import { buildReport, type ReportFrame } from "@/server/core/reports/service/report_model.ts";
import { individualSettings } from "@/server/core/settings/service/settings.ts";
import { VERSION } from "@/server/core/site/service/status.ts";

const NIFTI_HEADER_BYTES = 348, NIFTI_PIXDIM = 76;

/** The completed analyses of a study; at least one of T1w and FLAIR. */
interface AnalysedStudy extends PicturedStudy {
  patient: StoredPatient;
  /** labels of the study's first finding in the worklist, outlined in the report's pictures */
  place: FindingPlace | null;
}

/**
 * Finds a study to be reported.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
async function analysedStudy({ db }: ServiceContext, pid: number): Promise<AnalysedStudy> {
  const stored = await mustFindPatient(db, pid);
  // the first finding must be stored, because the pictures show the slices through it
  const missing = await addMissingFindings(db, [stored]);
  const patient = missing > 0 ? await mustFindPatient(db, pid) : stored;
  const completed = async (id: number | null) => {
    const analysis = id === null ? null : await findAnalysis(db, id);
    return analysis?.status === "completed" ? analysis : null;
  };
  const t1 = await completed(patient.analysisId.t1), flair = await completed(patient.analysisId.t2);
  if (!t1?.results && !flair?.flair) {
    throw new AppError("study.not_analyzed", `Cannot report on study ${pid}: not analyzed`, {
      pid,
    });
  }
  const first = patient.row.finding?.first;
  const place = first === undefined ? null : placeOfFinding(first);
  return {
    patient,
    place,
    outlined: place?.labels ?? [],
    changes: await picturedChanges(db, pid, patient.row.patient_id),
    t1: t1?.results ? { ...t1, results: t1.results } : null,
    flair: flair?.flair ? { ...flair, flair: flair.flair } : null,
  };
}

/** T1w studies of the study's person, and studies that may be of another person with the ID. */
async function visitsOf(
  db: Database,
  row: StoredPatient["row"],
  { t1, flair }: Pick<AnalysedStudy, "t1" | "flair">,
): Promise<{ visits: StoredVisit[]; otherPersons: OtherPersonVisit[] }> {
  if (row.patient_id === "") return { visits: [], otherPersons: [] };
  const persons = await personsOf(db, row.patient_id);
  const ofT1 = t1 ? await listVisits(db, row.patient_id) : [];
  const all = [...ofT1, ...flair ? await listFlairVisits(db, row.patient_id) : []]
    .map((visit) => ({ ...visit, study_date: visit.studyDate }));
  const each = [...new Map(all.map((visit) => [visit.pid, visit])).values()]
    .sort((a, b) => a.study_date < b.study_date ? -1 : a.study_date > b.study_date ? 1 : 0);
  return {
    visits: persons.sameAs(row, ofT1),
    otherPersons: otherPersonVisits(persons, row, each),
  };
}

/** Description of a series from its DICOM headers; values of unreadable headers are `null`. */
async function seriesOf(
  services: ServiceContext,
  seriesId: number,
): Promise<ReportResponse["series"]> {
  const { db } = services;
  const series = await findSeries(db, seriesId);
  const hashes = await listInputHashes(db, seriesId);
  const unknown: ReportResponse["series"] = {
    description: series?.description ?? "",
    manufacturer: null,
    field_strength: null,
    slices: hashes.length > 0 ? hashes.length : null,
    voxel_mm: null,
  };
  try {
    const header = await seriesAnswer(services, seriesId, "header", { isLater: true });
    return {
      ...unknown,
      manufacturer: header?.manufacturer || null,
      field_strength: header?.fieldStrengthT ?? null,
      slices: header && header.frameCount > 1 ? header.frameCount : unknown.slices,
      voxel_mm: series && await voxelMm(services, series.volumeBlob),
      ...(header && hasContrastAgent(header) && { has_contrast_agent: true }),
    };
  } catch (error) {
    if (error instanceof AppError && !isBusy(error)) return unknown;
    throw error;
  }
}

/** Description of an analysed series, with the time when its analysis ended. */
const listedSeries = async (
  services: ServiceContext,
  { kind, seriesId, finishedAt }: StoredAnalysis,
): Promise<ReportResponse["series_list"][number]> => ({
  ...await seriesOf(services, seriesId),
  type: kind,
  analysis_date: finishedAt,
});

/** Report type: T1w, FLAIR or both. The requested type is used only if both are analysed. */
function reportTypeOf({ t1, flair }: AnalysedStudy, asked: ReportType | undefined): ReportType {
  const fullType: ReportType = t1 && flair ? "t1t2" : t1 ? "t1" : "t2";
  return fullType === "t1t2" && asked ? asked : fullType;
}

interface MadeReport<P> {
  report: ReportResponse;
  /** slice pictures or their positions, as returned by `slicesOf` */
  slices: P;
  /** pictures that are not slices: key images and the logo */
  pictures: Pictures;
}

/**
 * Creates a report in the language and with the pages that the user has set.
 * @param slicesOf Returns the slice pictures, or only the positions of the slices.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
async function makeReport<P extends PlacedPictures>(
  services: ServiceContext,
  pid: number,
  filter: ReportFilter,
  caller: Pick<Caller, "uid">,
  generatedAt: string,
  slicesOf: (study: PicturedStudy) => Promise<P>,
): Promise<MadeReport<P>> {
  const fullStudy = await analysedStudy(services, pid),
    type = reportTypeOf(fullStudy, filter.report_type);
  const study = {
    ...fullStudy,
    t1: type === "t2" ? null : fullStudy.t1,
    flair: type === "t1" ? null : fullStudy.flair,
  };
  const { patient: { row }, t1, flair } = study;
  const [
    { general, report: settings, report_result },
    seriesList,
    slices,
    group,
    longitudinal,
    mta,
    logo,
    license,
    applied,
    signed,
  ] = await Promise.all([
    individualSettings(services, caller.uid),
    Promise.all(
      [t1, flair].flatMap((analysis) => analysis ? [listedSeries(services, analysis)] : []),
    ),
    slicesOf(study),
    readSettings(services.db, "group"),
    currentLongitudinal(services.db, row.patient_id, pid),
    readMta(services.db, pid),
    findLogo(services.db),
    getLicense(services.db),
    appliedNorms(services.db, t1),
    signedTextOf(services.db, pid),
  ]);
  const comparison = t1 && longitudinal;
  const flairLongitudinal = flair && await flairLongitudinalOf(services, pid, row.patient_id);
  // a verdict on a lesion, given after the pictures were requested, changes the list of pictures
  const arePictured = `${study.changes?.lesions}` ===
    `${flairLongitudinal ? picturedLesions(flairLongitudinal.changes) : undefined}`;
  const { visits, otherPersons } = await visitsOf(services.db, row, study);
  const leftOut = comparison
    ? visits.filter(({ grade }) => grade === "C").map(({ studyDate }) => studyDate)
    : [];
  const requestedPages = filter.page_list?.split(",").map(Number) ?? settings.page_list[type];
  const frame: ReportFrame = {
    pid,
    language: filter.language ?? settings.language,
    isAnonymized: filter.anonymize === undefined ? settings.anonymize : filter.anonymize === "true",
    generatedAt,
    timeZone: siteTimeZone(),
    version: VERSION,
    certType: license.cert_type,
    hospitalName: typeof group.hospital_name === "string" ? group.hospital_name : "",
    thresholds: settings.threshold_list,
    opinion: { opinion_id: 0, message: "" },
    pages: pagesOf(requestedPages, {
      type,
      hasFlair: flair !== null,
      hasComparison: comparison !== null || flairLongitudinal !== null,
    }),
    patient: {
      id: row.patient_id,
      name: row.patient_name,
      age: row.patient_age,
      sex: row.patient_sex,
      birthDate: row.patient_birthdate,
      studyDate: row.study_date,
      ...(row.study_date_source ? { studyDateSource: row.study_date_source } : {}),
      isFlairUploaded: row.is_t2_uploaded,
    },
    series: seriesList[0]!,
    seriesList,
    images: [...slices.positionMm].filter(([key]) => arePictured || !key.startsWith("change_")).map(
      ([key, mm]) => ({
        key,
        url: `/api/v1/patients/${pid}/report/image/${key}.png?v=${slices.version}`,
        position_mm: Math.round(mm * 10) / 10,
      }),
    ),
  };
  const report = t1
    ? buildReport({
      ...frame,
      method: applied.method,
      localNormName: applied.name,
      analysis: { ...t1.results, finishedAt: t1.finishedAt, engineVersion: t1.engineVersion ?? "" },
      lesions: flair?.flair ?? null,
      mta,
      longitudinal: comparison,
      visitMethods: comparison ? await methodsOfVisits(services.db, visits) : new Map(),
    })
    : buildFlairReport({
      ...frame,
      isT1Uploaded: row.is_t1_uploaded,
      flair: {
        ...flair!.flair,
        finishedAt: flair!.finishedAt,
        engineVersion: flair!.engineVersion ?? "",
      },
    });
  const compared = comparison?.visits.map((visit) => visit.pid) ?? [];
  const { findings, pictures } = await findingsOf(services, pid, [t1, flair], compared);
  const first = new Set(general.brain_part_list);
  return {
    report: {
      ...report,
      opinion: opinionOf(report, report_result, filter.opinion),
      logo_url: logoUrl(logo),
      ...(t1 && !slices.hasIcvOutline && { icv: { ...report.icv, has_outline: false } }),
      ...(signed && { signed_text: frame.isAnonymized ? { ...signed, author: "" } : signed }),
      ...(t1 && study.place && {
        outlined_place: { part: study.place.part, side: study.place.side },
      }),
      ...(findings && { findings: frame.isAnonymized ? withoutAuthors(findings) : findings }),
      ...(leftOut.length > 0 && { left_out_visits: leftOut }),
      ...(otherPersons.length > 0 && { other_person_visits: otherPersons }),
      ...(flairLongitudinal && { flair_longitudinal: flairLongitudinal }),
      regions: byPriority(
        report.regions,
        ({ part_index }) => first.has(regionOf(part_index[0] ?? 0)?.part ?? ""),
      ),
    },
    slices,
    pictures: { ...pictures, ...(logo && { [LOGO]: logo.png }) },
  };
}

/** Removes the authors' names from measurements and key images of an anonymised report. */
const withoutAuthors = (
  findings: NonNullable<ReportResponse["findings"]>,
): NonNullable<ReportResponse["findings"]> => ({
  ...findings,
  measurements: findings.measurements.map((one) => ({ ...one, created_by: "" })),
  images: findings.images.map((one) => ({ ...one, created_by: "" })),
});

/** A report as made by {@link makeReport}, together with its pictures. */
export async function reportWithPictures(
  services: ServiceContext,
  pid: number,
  filter: ReportFilter,
  caller: Pick<Caller, "uid">,
  generatedAt = nowIso(),
  renderer = services.pdf,
): Promise<{ report: ReportResponse; pictures: Pictures }> {
  const slicesOf = (study: PicturedStudy) => reportPictures(services, study, renderer);
  const { report, slices, pictures } = await makeReport(
    services,
    pid,
    filter,
    caller,
    generatedAt,
    slicesOf,
  );
  return { report, pictures: { ...slices.pictures, ...pictures } };
}

/**
 * Report of an analysed study; returns before its pictures are rendered.
 * @throws {AppError} as {@link makeReport}.
 */
export async function getReport(
  services: ServiceContext,
  pid: number,
  filter: ReportFilter,
  caller: Caller,
): Promise<ReportResponse> {
  const slicesOf = (study: PicturedStudy) => placedPictures(services, study);
  return (await makeReport(services, pid, filter, caller, nowIso(), slicesOf)).report;
}

/**
 * The report as a PDF, with the name of the file.
 * @param generatedAt Time printed on the pages; default: now.
 * @throws {AppError} as {@link getReport}.
 */
export async function getReportPdf(
  services: ServiceContext,
  pid: number,
  filter: ReportFilter,
  caller: Caller,
  generatedAt?: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; fileName: string }> {
  const { report, pictures } = await reportWithPictures(services, pid, filter, caller, generatedAt);
  return { bytes: await services.pdf.render(report, pictures), fileName: pdfFileName(report) };
}

/**
 * One picture of a report as a PNG.
 * @param version Version in the picture's URL; `undefined`: the latest.
 * @throws {AppError} as {@link getReport}; `entity.not_found` for the version of an old analysis.
 */
export async function getReportImage(
  services: ServiceContext,
  pid: number,
  key: ImageKey,
  version: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const study = await analysedStudy(services, pid);
  // a version that begins with `t` or `f` is from a report of T1w or FLAIR alone
  const t1 = version?.startsWith("f") ? null : study.t1,
    flair = version?.startsWith("t") ? null : study.flair;
  // an open report gets the pictures it was made with, even if the first finding has changed since
  const outlined = version === undefined ? study.outlined : outlinedIn(version) ?? [];
  const slices = await reportPictures(services, { ...study, t1, flair, outlined }, services.pdf);
  // pictures of one analysis must not appear next to the numbers of another analysis
  if (version !== undefined && version !== slices.version) {
    throw new AppError(
      "entity.not_found",
      "Cannot find the picture: the study has been analysed again",
    );
  }
  const picture = slices.pictures[key];
  if (!picture) {
    throw new AppError(
      "entity.not_found",
      "Cannot find the picture: the report has none of this name",
    );
  }
  return picture;
}

/**
 * File name "{patient_id}_{study_date}_report.pdf"; an anonymised report has a fixed name.
 * Characters that file systems refuse are replaced by "_".
 */
function pdfFileName(report: ReportResponse): string {
  // anonymised reports: the study date could identify the patient
  if (report.anonymized) return "anonymous_report.pdf";
  const date = report.patient.study_date ?? "no-date";
  // deno-lint-ignore no-control-regex -- the expression replaces control characters
  const id = report.patient.patient_id.replace(/[\u0000-\u001f\u007f<>:"/\\|?*]+/g, "_");
  return `${id || "patient"}_${date}_report.pdf`;
}

/** Voxel size of a stored volume (NIfTI-1, gzip), mm, from the header; `null` when unreadable. */
async function voxelMm(
  { blobs, log }: ServiceContext,
  hash: string,
): Promise<[number, number, number] | null> {
  const start = new Uint8Array(
    await new Response(await blobs.stream(hash, 0, 1 << 16)).arrayBuffer(),
  );
  // only the beginning of the gzip file was read, which contains the whole NIfTI-1 header
  let header: Uint8Array;
  try {
    header = gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    // a report without the voxel size is better than no report
    log("error", "Cannot read the header of a stored volume", { blob: hash, error: String(error) });
    return null;
  }
  if (header.length < NIFTI_HEADER_BYTES) return null;
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  const at = (axis: number) =>
    Math.round(view.getFloat32(NIFTI_PIXDIM + 4 * axis, true) * 100) / 100;
  return [at(1), at(2), at(3)];
}
