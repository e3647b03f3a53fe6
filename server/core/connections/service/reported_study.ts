/** Contents of HL7 messages and FHIR resources of an analysed study. */
import { isMeasured, PARTS, REGIONS } from "@/model/regions/regions.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import { type ResultStatus, resultStatus } from "@/model/report/result_status.ts";
import type { Language } from "@/model/text.ts";
import {
  type Code,
  code,
  CRANIAL_CAVITY,
  isAbnormal,
  LEFT,
  regionCode,
  RIGHT,
  sideCode,
} from "@/server/core/dicom/write/codes.ts";
import {
  type AnalysisResults,
  findAnalysis,
  type FlairResults,
  type StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import {
  type ChangeInstants,
  changeInstants,
  instantFor,
} from "@/server/core/connections/storage/result_changes.ts";
import { accessionOf } from "@/server/core/connections/storage/orders.ts";
import { measuredIcvMm3 } from "@/model/measured/icv_basis.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { lesionDataOf } from "@/model/measured/lesion_data.ts";
import { lesionFigure } from "@/model/text/lesions/lesion_figure.ts";
import { partName, sidedPartName } from "@/model/text/regions.ts";
import { millilitres } from "@/model/measured/region_data.ts";
import { instantOf, isChangedByReaders } from "@/server/core/reading/service/corrected.ts";
import { type StudyComment, studyComment } from "@/server/core/reports/service/conclusion.ts";
import { getReportPdf } from "@/server/core/reports/service/report.ts";
import { groupSettings } from "@/server/core/settings/service/settings.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import { isBusy } from "@/server/core/dicom/worker/reader.ts";
import { AppError } from "@/model/errors.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { editedIdentity } from "@/server/core/studies/service/headers/edited_identity.ts";
import {
  seriesAnswer,
  storedSource,
} from "@/server/core/studies/service/headers/stored_headers.ts";

/** A measured volume in an HL7 message or FHIR resource. */
export interface Measure {
  name: string;
  /** volume in millilitres */
  ml: number;
  /** lesion volume of quality grade C, which is sent only as a text with "not reliable" */
  isUnreliable?: true;
  /** coded concept of the measured anatomical structure */
  site: Code;
  side: Code | null;
}

/**
 * Text of an unreliable volume, "8.18 mL (not reliable)".
 * Sent as a text, so that no system stores, plots or averages the number without the warning.
 */
export const unreliableValue = (ml: number): string =>
  lesionFigure(`${ml.toFixed(2)}\u00a0mL`, true, "en");

/** Data of a study for HL7 and FHIR: patient identity and measured volumes. */
export interface StudyFacts {
  pid: number;
  studyUid: string;
  /**
   * DICOM attributes by keyword, from the images or from the record as edited by a user;
   * empty if the images, the record and the order contain no value
   */
  identity: Readonly<Record<string, string>>;
  /** time at which the current results were measured, corrected, signed or changed */
  finishedAt: string;
  /** whether a physician has signed these results, and whether they changed afterwards */
  status: ResultStatus;
  /** volumes on the first page of the report */
  measures: readonly Measure[];
  /** volumes of all measured regions of the brain */
  regions: readonly Measure[];
  /**
   * suggested conclusion with the note that no physician has signed the text;
   * empty when a signed text applies to these results
   */
  comment: readonly string[];
  /** text signed by a physician, with the notice above the text; absent without a signature */
  signed?: StudyComment["signed"];
}

/** {@link StudyFacts} with the report as PDF. */
export interface ReportedStudy extends StudyFacts {
  pdf: Uint8Array;
}

const KEY_PARTS = ["Hippocampus", "Lateral ventricle", "Inferior lateral ventricle"] as const;
const CEREBRAL_WHITE_MATTER = code("SCT", "68523003", "Cerebral White Matter");

/** Volumes on the first page of the report. */
export function keyMeasures(
  results: AnalysisResults | null | undefined,
  flair: FlairResults | null | undefined,
): Measure[] {
  const measures: Measure[] = [];
  if (results) {
    const icvMm3 = measuredIcvMm3(results);
    if (icvMm3 !== null) {
      measures.push({
        name: "Intracranial volume",
        ml: millilitres(icvMm3),
        site: CRANIAL_CAVITY,
        side: null,
      });
    }
    for (const name of KEY_PARTS) {
      const [left, right] = PARTS.find(({ part }) => part === name)?.labels ?? [];
      if (left === undefined || right === undefined) continue;
      const words = partName(name, "en");
      const site = regionCode(REGIONS.find(({ label }) => label === left)!);
      measures.push({
        name: `${words}, left`,
        ml: millilitres(results.volumesMm3[left]!),
        site,
        side: LEFT,
      });
      measures.push({
        name: `${words}, right`,
        ml: millilitres(results.volumesMm3[right]!),
        site,
        side: RIGHT,
      });
    }
  }
  if (flair) {
    // total lesion volume, as printed: the sum of two rounded volumes
    const { wmh: ml, wmh_detail } = lesionDataOf(flair, results?.quality.grade);
    measures.push({
      name: "White matter hyperintensities",
      ml,
      ...(wmh_detail.is_unreliable && { isUnreliable: true }),
      site: CEREBRAL_WHITE_MATTER,
      side: null,
    });
  }
  return measures;
}

/** Volumes of all measured regions of the brain. */
export const regionMeasures = ({ volumesMm3 }: AnalysisResults): Measure[] =>
  REGIONS.filter(({ label }) =>
    isMeasured(label) && !isAbnormal(label) && (volumesMm3[label] ?? 0) > 0
  )
    .map((region) => ({
      name: sidedPartName(region.part, region.hemisphere, "en"),
      ml: millilitres(volumesMm3[region.label]!),
      site: regionCode(region),
      side: sideCode(region.hemisphere),
    }));

/** Time of the last correction of labels or of patient data; `null` if there is none. */
function correctedAtOf(
  analyses: readonly StoredAnalysis[],
  changes: ChangeInstants,
): string | null {
  const edited = changes.get("patient") ?? "", first = analyses.map(instantOf).sort()[0]!;
  const instants = [
    ...edited > first ? [edited] : [],
    ...analyses.filter(isChangedByReaders).map(instantOf),
  ];
  return instants.sort().at(-1) ?? null;
}

/** Number, UID and identity of a study; see {@link StudyFacts}. */
export type StudyIdentity = Pick<StudyFacts, "pid" | "studyUid" | "identity">;

/** Patient and study attributes from the database, for images with unreadable headers. */
const recordedIdentity = (row: StoredPatient["row"]) =>
  editedIdentity({}, {
    row,
    received: { patientId: "", patientName: "", birthDate: null },
  });

/**
 * Identity of a study from one header and the study's record. No result of an analysis is read.
 * @param seriesIds Series of the study; the first one with a readable header counts.
 * @throws {AppError} `study.deleted`, `entity.not_found`, `server.busy`.
 */
export async function studyIdentity(
  services: ServiceContext,
  pid: number,
  seriesIds: readonly number[],
): Promise<StudyIdentity> {
  const { db } = services, patient = await mustFindPatient(db, pid);
  const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
  let image: Dataset | null = null;
  for (const id of seriesIds) {
    const head = await seriesAnswer(services, id, "source", { encoding, isLater: true })
      .catch((error) => {
        if (error instanceof AppError && !isBusy(error)) return undefined;
        throw error;
      });
    if (!head) continue;
    image = head.identity;
    break;
  }
  const identity =
    (image ? editedIdentity(image, patient) : recordedIdentity(patient.row)) as Record<
      string,
      string
    >;
  const AccessionNumber = identity.AccessionNumber || await accessionOf(db, pid);
  return { pid, studyUid: patient.studyUid, identity: { ...identity, AccessionNumber } };
}

/**
 * @param finalAt Time of the last signed results that the receiver has; `null` if it has none;
 * absent for systems that read, to which all earlier signed results were available.
 * @returns `null` for a study without results.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function studyFacts(
  services: ServiceContext,
  pid: number,
  language: Language = services.language ?? "en",
  finalAt?: string | null,
): Promise<StudyFacts | null> {
  const { db } = services, patient = await mustFindPatient(db, pid), { analysisId } = patient;
  const analyses = [];
  for (const id of [analysisId.t1, analysisId.t2]) {
    const analysis = id === null ? null : await findAnalysis(db, id);
    if (analysis?.status === "completed") analyses.push(analysis);
  }
  const [first] = analyses;
  if (!first) return null;
  const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
  const source = await storedSource(services, first.seriesId, encoding);
  const results = analyses.find(({ results }) => results !== null)?.results;
  const { signed, suggested, signedAt } = await studyComment(services, pid, language);
  const changes = await changeInstants(db, pid);
  const instants = [...analyses.map(instantOf), instantFor(changes, "hl7") ?? ""];
  const finishedAt = instants.sort().at(-1)!;
  const identity = editedIdentity(source.identity, patient) as Record<string, string>;
  return {
    pid,
    studyUid: source.studyUid,
    // accession number from the modality worklist if the images have none
    identity: {
      ...identity,
      AccessionNumber: identity.AccessionNumber || await accessionOf(db, pid),
    },
    finishedAt,
    status: resultStatus({
      isEverSigned: signedAt.length > 0,
      isSigned: signed !== null && !signed.is_outdated,
      finalAt: finalAt === undefined ? signedAt.findLast((at) => at < finishedAt) ?? null : finalAt,
      correctedAt: correctedAtOf(analyses, changes),
    }),
    measures: keyMeasures(results, analyses.find(({ flair }) => flair !== null)?.flair),
    regions: results ? regionMeasures(results) : [],
    comment: suggested,
    ...(signed && { signed }),
  };
}

/** {@link studyFacts} with the report as PDF. */
export async function reportedStudy(
  services: ServiceContext,
  pid: number,
  language: Language,
  caller: Caller,
  finalAt: string | null,
): Promise<ReportedStudy | null> {
  const facts = await studyFacts(services, pid, language, finalAt);
  if (!facts) return null;
  const whose = { language, anonymize: "false" as const };
  const { bytes } = await getReportPdf(services, pid, whose, caller, facts.finishedAt);
  return { ...facts, pdf: bytes };
}
