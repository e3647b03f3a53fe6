/** Content of HL7 messages and FHIR resources for an analysed study. */
import { isMeasured, PARTS, REGIONS } from "@/model/regions/regions.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
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
} from "@/server/core/analyses/storage/analyses.ts";
import { changeInstants, instantFor } from "@/server/core/connections/storage/result_changes.ts";
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
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";
import { editedIdentity } from "@/server/core/studies/service/headers/edited_identity.ts";
import { storedSource } from "@/server/core/studies/service/headers/stored_headers.ts";

/** A volume in a message. */
export interface Measure {
  name: string;
  /** volume in millilitres */
  ml: number;
  /** lesion volume of grade C as text with "not reliable", without which it must not be sent */
  isUnreliable?: true;
  /** coded concept of the measured structure */
  site: Code;
  side: Code | null;
}

/**
 * Value of an unreliable volume, "8.18 mL (not reliable)".
 * Sent as a text, so that no system stores, plots or averages the number without the warning.
 */
export const unreliableValue = (ml: number): string =>
  lesionFigure(`${ml.toFixed(2)}\u00a0mL`, true, "en");

/** Facts about a study: its identity for transmission, and its measures. */
export interface StudyFacts {
  pid: number;
  studyUid: string;
  /**
   * DICOM attributes by keyword, from the images or the edited record
   * empty when the images, the record and the order contain no value
   */
  identity: Readonly<Record<string, string>>;
  /** time of the current results: when they were measured, corrected, signed or changed */
  finishedAt: string;
  /** whether readers changed or restored results, or the patient record was edited */
  isCorrected: boolean;
  /** volumes and patient equal those already sent, but the text or a verdict differs */
  isAmended?: boolean;
  /** measures of the report's first page */
  measures: readonly Measure[];
  /** measures of all measured regions */
  regions: readonly Measure[];
  /**
   * suggested conclusion with the note that no physician has signed the text
   * empty when a signed text applies to these results
   */
  comment: readonly string[];
  /** signed text with the notice above the text; absent without a signature */
  signed?: StudyComment["signed"];
}

/** {@link StudyFacts} with the report. */
export interface ReportedStudy extends StudyFacts {
  pdf: Uint8Array;
}

const KEY_PARTS = ["Hippocampus", "Lateral ventricle", "Inferior lateral ventricle"] as const;
const CEREBRAL_WHITE_MATTER = code("SCT", "68523003", "Cerebral White Matter");

/** Measures of the report's first page. */
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
    // sum of the two parts as printed
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

/** Measures of all measured regions. */
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

/**
 * @returns `null` for a study without results. @throws {AppError}
 * `study.deleted`, `entity.not_found`.
 */
export async function studyFacts(
  services: ServiceContext,
  pid: number,
  language: Language = services.language ?? "en",
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
  const { signed, suggested } = await studyComment(services, pid, language);
  const changes = await changeInstants(db, pid);
  const resultInstants = analyses.map(instantOf);
  const isEdited = (changes.get("patient") ?? "") > resultInstants.toSorted()[0]!;
  const instants = [...resultInstants, instantFor(changes, "hl7") ?? ""];
  const identity = editedIdentity(source.identity, patient) as Record<string, string>;
  return {
    pid,
    studyUid: source.studyUid,
    // accession number of the modality worklist when the images have none
    identity: {
      ...identity,
      AccessionNumber: identity.AccessionNumber || await accessionOf(db, pid),
    },
    finishedAt: instants.sort().at(-1)!,
    isCorrected: isEdited || analyses.some(isChangedByReaders),
    measures: keyMeasures(results, analyses.find(({ flair }) => flair !== null)?.flair),
    regions: results ? regionMeasures(results) : [],
    comment: suggested,
    ...(signed && { signed }),
  };
}

/** {@link studyFacts} with the report. */
export async function reportedStudy(
  services: ServiceContext,
  pid: number,
  language: Language,
  caller: Caller,
): Promise<ReportedStudy | null> {
  const facts = await studyFacts(services, pid, language);
  if (!facts) return null;
  const whose = { language, anonymize: "false" as const };
  const { bytes } = await getReportPdf(services, pid, whose, caller, facts.finishedAt);
  return { ...facts, pdf: bytes };
}
