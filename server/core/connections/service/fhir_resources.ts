/** FHIR R4 resources (hl7.org/fhir/R4) of an analysed study. */
import type { Code } from "@/server/core/dicom/write/codes.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";
import {
  type Measure,
  type StudyFacts,
  unreliableValue,
} from "@/server/core/connections/service/reported_study.ts";

/** A FHIR resource, of which the FHIR standard defines the schema. */
export type Resource = { resourceType: string; id: string } & Record<string, unknown>;

/** FHIR code system of each DICOM coding scheme (PS3.16 Table 8-1). */
const SYSTEMS: Readonly<Record<Code["scheme"], string>> = {
  SCT: "http://snomed.info/sct",
  DCM: "http://dicom.nema.org/resources/ontology/DCM",
  LN: "http://loinc.org",
  UCUM: "http://unitsofmeasure.org",
  UMLS: "http://www.nlm.nih.gov/research/umls",
  RFC5646: "urn:ietf:bcp:47",
  "99SULCUS": "urn:sulcus:regions",
};

const concept = (system: string, code: string, display: string) => ({
  coding: [{ system, code, display }],
});
const conceptOf = ({ scheme, value, meaning }: Code) => concept(SYSTEMS[scheme], value, meaning);
const UID = "urn:dicom:uid";
const uidIdentifier = (uid: string) => ({ system: UID, value: `urn:oid:${uid}` });

const accessions = ({ identity }: Pick<StudyFacts, "identity">) =>
  identity.AccessionNumber
    ? [{
      type: concept("http://terminology.hl7.org/CodeSystem/v2-0203", "ACSN", "Accession ID"),
      value: identity.AccessionNumber,
    }]
    : [];

/** Converts a DICOM date (DA) to a FHIR date; `undefined` for an incomplete date. */
function dateOf(date: string | undefined): string | undefined {
  const match = /^(\d{4})(\d{2})(\d{2})$/.exec(date ?? "");
  return match ? match.slice(1).join("-") : undefined;
}

/** FHIR Patient resource with the identity from the images or from the edited patient record. */
export function patientResource(
  { identity }: Pick<StudyFacts, "identity">,
  id: string,
): Resource {
  const [family = "", ...given] = (identity.PatientName ?? "").split("=")[0]!.split("^");
  const birthDate = dateOf(identity.PatientBirthDate);
  return {
    resourceType: "Patient",
    id,
    ...(identity.PatientID ? { identifier: [{ value: identity.PatientID }] } : {}),
    name: [{
      ...(family ? { family } : {}),
      ...(given.some(Boolean) ? { given: given.filter(Boolean) } : {}),
      text: identity.PatientName || "-",
    }],
    gender: { M: "male", F: "female", O: "other" }[identity.PatientSex ?? ""] ?? "unknown",
    ...(birthDate ? { birthDate } : {}),
  };
}

/** Data of a series for a FHIR ImagingStudy resource. */
export interface SeriesFacts {
  uid: string;
  modality: string;
  description: string;
  instances: number;
}

export function imagingStudyResource(
  facts: Pick<StudyFacts, "identity" | "studyUid">,
  id: string,
  subject: string,
  series: readonly SeriesFacts[] = [],
): Resource {
  const started = dateOf(facts.identity.StudyDate);
  return {
    resourceType: "ImagingStudy",
    id,
    status: "available",
    identifier: [uidIdentifier(facts.studyUid), ...accessions(facts)],
    subject: { reference: subject },
    ...(started ? { started } : {}),
    ...(facts.identity.StudyDescription ? { description: facts.identity.StudyDescription } : {}),
    ...(series.length > 0
      ? {
        numberOfSeries: series.length,
        numberOfInstances: series.reduce((sum, { instances }) => sum + instances, 0),
        series: series.map(({ uid, modality, description, instances }) => ({
          uid,
          modality: { system: SYSTEMS.DCM, code: modality },
          ...(description ? { description } : {}),
          numberOfInstances: instances,
        })),
      }
      : {}),
  };
}

/** FHIR Observation of one volume. */
export function observationResource(
  { name, ml, isUnreliable, site, side }: Measure,
  facts: StudyFacts,
  id: string,
  subject: string,
): Resource {
  const coding = [conceptOf(site), ...side ? [conceptOf(side)] : []].flatMap((one) => one.coding);
  return {
    resourceType: "Observation",
    id,
    status: facts.status,
    category: [
      concept("http://terminology.hl7.org/CodeSystem/observation-category", "imaging", "Imaging"),
    ],
    code: { ...concept(SYSTEMS.SCT, "118565006", "Volume"), text: name },
    bodySite: { coding, text: name },
    subject: { reference: subject },
    effectiveDateTime: dateOf(facts.identity.StudyDate) ?? facts.finishedAt,
    issued: new Date(facts.finishedAt).toISOString(),
    method: { text: "Automatic segmentation of MRI" },
    ...(isUnreliable ? { valueString: unreliableValue(ml) } : {
      valueQuantity: {
        value: Math.round(100 * ml) / 100,
        unit: "mL",
        system: SYSTEMS.UCUM,
        code: "mL",
      },
    }),
  };
}

/**
 * FHIR DiagnosticReport. @param results References to the observations.
 * @param pdf PDF file as Base64, or the address of the PDF; absent: not included.
 */
export function diagnosticReportResource(
  facts: StudyFacts,
  id: string,
  refers: { subject: string; study: string; results: readonly string[] },
  pdf: { data: string } | { url: string } | null,
): Resource {
  return {
    resourceType: "DiagnosticReport",
    id,
    identifier: [uidIdentifier(reportUid(facts)), ...accessions(facts)],
    status: facts.status,
    category: [concept("http://terminology.hl7.org/CodeSystem/v2-0074", "RAD", "Radiology")],
    code: concept(SYSTEMS.LN, "24590-2", "MR Brain"),
    subject: { reference: refers.subject },
    effectiveDateTime: dateOf(facts.identity.StudyDate) ?? facts.finishedAt,
    issued: new Date(facts.finishedAt).toISOString(),
    result: refers.results.map((reference) => ({ reference })),
    imagingStudy: [{ reference: refers.study }],
    ...conclusionOf(facts),
    ...(pdf ? { presentedForm: [{ contentType: "application/pdf", ...pdf }] } : {}),
  };
}

/**
 * Conclusion of a FHIR report. With a signature: the signed text, unchanged.
 * If results changed after signing, a notice is added above and the suggested text below.
 * Without a signature: the suggested text.
 */
function conclusionOf(
  { signed, comment }: StudyFacts,
): { conclusion?: string; resultsInterpreter?: unknown } {
  const suggested = comment.join(" ");
  if (!signed) return suggested === "" ? {} : { conclusion: suggested };
  const outdated = [signed.label, signed.text, suggested].filter((text) => text !== "").join("\n");
  return {
    conclusion: signed.is_outdated ? outdated : signed.text,
    ...(signed.author === "" ? {} : { resultsInterpreter: [{ display: signed.author }] }),
  };
}

/** UID of a report; a new analysis or correction gives another UID. */
const reportUid = ({ studyUid, finishedAt }: StudyFacts): string =>
  uidOf("fhir", studyUid, finishedAt);

/** FHIR DiagnosticReport with contained patient, study and observations, as sent to a server. */
export function diagnosticReport(
  facts: StudyFacts & { pdf: Uint8Array },
): { identifier: string; resource: Resource } {
  const subject = "#patient",
    observations = facts.measures.map((measure, at) =>
      observationResource(measure, facts, `measure-${at + 1}`, subject)
    );
  const results = observations.map(({ id }) => `#${id}`);
  const { id: _, ...resource } = diagnosticReportResource(
    facts,
    "report",
    { subject, study: "#study", results },
    { data: Buffer.from(facts.pdf).toString("base64") },
  );
  const contained = [
    patientResource(facts, "patient"),
    imagingStudyResource(facts, "study", subject),
    ...observations,
  ];
  return {
    identifier: reportUid(facts),
    resource: { ...resource, contained } as unknown as Resource,
  };
}
