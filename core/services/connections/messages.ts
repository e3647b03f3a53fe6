/** Results as an HL7 version 2 message and as a FHIR R4 resource. */
import { PARTS } from "@/model/regions/regions.ts";
import { encodingTerm } from "@/model/dicom/dicom_charset.ts";
import type { Language } from "@/model/text.ts";
import { readSourceSeries } from "@/core/dicom/read/source_series.ts";
import { uidOf } from "@/core/dicom/write/uid.ts";
import { findAnalysis } from "@/core/storage/analyses.ts";
import type { Caller, ServiceContext } from "@/core/services/context.ts";
import { getReportPdf } from "@/core/services/reports/report.ts";
import { groupSettings } from "@/core/services/settings/settings.ts";
import { mustFindPatient } from "@/core/services/studies/patients.ts";
import { headersOf } from "@/core/services/studies/stored_headers.ts";

/** A number of the report. */
interface Measure {
  name: string;
  /** millilitres */
  ml: number;
}

/** What a message says of a study: identity as the images have it, key measures, the report. */
export interface ReportedStudy {
  studyUid: string;
  /** DICOM attributes by keyword; empty where the images say nothing */
  identity: Readonly<Record<string, string>>;
  finishedAt: string;
  measures: readonly Measure[];
  pdf: Uint8Array;
}

const KEY_PARTS = ["Hippocampus", "Lateral ventricle", "Inferior lateral ventricle"] as const;

/** @returns `null` for a study without results. @throws {AppError} `study.deleted`, `entity.not_found`. */
export async function reportedStudy(
  services: ServiceContext,
  pid: number,
  language: Language,
  caller: Caller,
): Promise<ReportedStudy | null> {
  const { db } = services, { analysisId } = await mustFindPatient(db, pid);
  const analyses = [];
  for (const id of [analysisId.t1, analysisId.t2]) {
    const analysis = id === null ? null : await findAnalysis(db, id);
    if (analysis?.status === "completed") analyses.push(analysis);
  }
  const [first] = analyses;
  if (!first) return null;
  const encoding = encodingTerm((await groupSettings(db)).dicom_encoding_id);
  const source = await readSourceSeries(headersOf(services, first.seriesId), encoding);
  const measures: Measure[] = [];
  const results = analyses.find(({ results }) => results !== null)?.results;
  const flair = analyses.find(({ flair }) => flair !== null)?.flair;
  if (results) {
    measures.push({ name: "Intracranial volume", ml: results.icvMm3 / 1000 });
    for (const name of KEY_PARTS) {
      const [left, right] = PARTS.find(({ part }) => part === name)?.labels ?? [];
      if (left === undefined || right === undefined) continue;
      measures.push({ name: `${name}, left`, ml: results.volumesMm3[left]! / 1000 });
      measures.push({ name: `${name}, right`, ml: results.volumesMm3[right]! / 1000 });
    }
  }
  if (flair) {
    measures.push({ name: "White matter hyperintensities", ml: (flair.periMm3 + flair.deepMm3) / 1000 });
  }
  const finishedAt = analyses.map(({ finishedAt }) => finishedAt ?? "").sort().at(-1)!;
  const { bytes } = await getReportPdf(services, pid, { language, anonymize: "false" }, caller, finishedAt);
  return {
    studyUid: source.studyUid,
    identity: source.identity as Record<string, string>,
    finishedAt,
    measures,
    pdf: bytes,
  };
}

/** A value inside a field: what separates is written as an escape sequence (HL7 2.5 chapter 2.7). */
const escaped = (text: string) =>
  text.replaceAll("\\", "\\E\\").replaceAll("|", "\\F\\").replaceAll("^", "\\S\\").replaceAll("&", "\\T\\")
    .replaceAll("~", "\\R\\").replaceAll(/[\r\n]+/g, " ");
const digits = (iso: string) => iso.replaceAll(/\D/g, "").slice(0, 14);

/** ORU^R01 of version 2.5: the key measures and the report as PDF, with the order's accession number. */
export function oruMessage(study: ReportedStudy, ours: string): string {
  const { identity, studyUid, finishedAt, measures, pdf } = study, at = digits(finishedAt);
  const text = (keyword: string) => escaped(identity[keyword] ?? "");
  const name = (identity.PatientName ?? "").split("=")[0]!.split("^").map(escaped).join("^");
  const accession = text("AccessionNumber"), controlId = uidOf("hl7", studyUid, finishedAt).slice(-20);
  const sex = { M: "M", F: "F" }[identity.PatientSex ?? ""] ?? "U";
  const observed = measures.map(({ name, ml }, n) =>
    [
      "OBX",
      n + 1,
      "NM",
      `${escaped(name)}^${escaped(name)}^99SULCUS`,
      "",
      ml.toFixed(2),
      "mL^mL^UCUM",
      "",
      "",
      "",
      "",
      "F",
    ]
      .join("|")
  );
  const report = [
    "OBX",
    measures.length + 1,
    "ED",
    "24590-2^MRI Head Report^LN",
    "",
    `${escaped(ours)}^AP^PDF^Base64^${Buffer.from(pdf).toString("base64")}`,
    "",
    "",
    "",
    "",
    "",
    "F",
  ].join("|");
  return [
    `MSH|^~\\&|${escaped(ours)}||||${at}||ORU^R01^ORU_R01|${controlId}|P|2.5||||||UNICODE UTF-8`,
    `PID|1||${text("PatientID")}||${name}||${text("PatientBirthDate")}|${sex}`,
    `OBR|1|${accession}|${accession}|24590-2^MRI Head Report^LN|||${
      digits(identity.StudyDate ?? "")
    }|||||||||||${accession}||||${at}|||F`,
    `NTE|1||Study ${escaped(studyUid)}`,
    ...observed,
    report,
  ].join("\r") + "\r";
}

/** Whether an acknowledgement accepts a message; else what it says (MSA and ERR). */
export function acknowledged(answer: string): string | null {
  const segments = answer.split(/[\r\n]+/), msa = segments.find((one) => one.startsWith("MSA"))?.split("|");
  if (msa?.[1] === "AA" || msa?.[1] === "CA") return null;
  return [msa?.[1], msa?.[3], segments.find((one) => one.startsWith("ERR"))].filter(Boolean).join(" ") ||
    "no MSA";
}

const coding = (system: string, code: string, display: string) => ({ coding: [{ system, code, display }] });

/** DiagnosticReport of R4 with its patient, study and observations inside. */
export function diagnosticReport(
  study: ReportedStudy,
): { identifier: string; resource: Record<string, unknown> } {
  const { identity, studyUid, finishedAt, measures, pdf } = study,
    identifier = uidOf("fhir", studyUid, finishedAt);
  const [family = "", ...given] = (identity.PatientName ?? "").split("=")[0]!.split("^");
  const birth = /^(\d{4})(\d{2})(\d{2})$/.exec(identity.PatientBirthDate ?? "");
  const gender = { M: "male", F: "female", O: "other" }[identity.PatientSex ?? ""] ?? "unknown";
  const subject = { reference: "#patient" }, issued = new Date(finishedAt).toISOString();
  const accession = identity.AccessionNumber
    ? [{
      type: coding("http://terminology.hl7.org/CodeSystem/v2-0203", "ACSN", "Accession ID"),
      value: identity.AccessionNumber,
    }]
    : [];
  return {
    identifier,
    resource: {
      resourceType: "DiagnosticReport",
      contained: [
        {
          resourceType: "Patient",
          id: "patient",
          ...(identity.PatientID ? { identifier: [{ value: identity.PatientID }] } : {}),
          name: [{
            ...(family ? { family } : {}),
            ...(given.some(Boolean) ? { given: given.filter(Boolean) } : {}),
            text: identity.PatientName || "-",
          }],
          gender,
          ...(birth ? { birthDate: `${birth[1]}-${birth[2]}-${birth[3]}` } : {}),
        },
        {
          resourceType: "ImagingStudy",
          id: "study",
          status: "available",
          identifier: [{ system: "urn:dicom:uid", value: `urn:oid:${studyUid}` }, ...accession],
          subject,
        },
        ...measures.map(({ name, ml }, at) => ({
          resourceType: "Observation",
          id: `measure-${at + 1}`,
          status: "final",
          code: { text: name },
          subject,
          valueQuantity: {
            value: Math.round(100 * ml) / 100,
            unit: "mL",
            system: "http://unitsofmeasure.org",
            code: "mL",
          },
        })),
      ],
      identifier: [{ system: "urn:dicom:uid", value: `urn:oid:${identifier}` }, ...accession],
      status: "final",
      category: [coding("http://terminology.hl7.org/CodeSystem/v2-0074", "RAD", "Radiology")],
      code: coding("http://loinc.org", "24590-2", "MR Brain"),
      subject,
      issued,
      result: measures.map((_, at) => ({ reference: `#measure-${at + 1}` })),
      imagingStudy: [{ reference: "#study" }],
      presentedForm: [{ contentType: "application/pdf", data: Buffer.from(pdf).toString("base64") }],
    },
  };
}
