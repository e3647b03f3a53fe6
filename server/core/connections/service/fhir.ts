/** Reads and searches FHIR R4 resources of studies by study, patient or accession number. */
import { AppError } from "@/model/errors.ts";
import { findByAccession } from "@/server/core/connections/storage/orders.ts";
import { findPatientByStudy } from "@/server/core/studies/storage/patients.ts";
import {
  diagnosticReportResource,
  imagingStudyResource,
  observationResource,
  patientResource,
  type Resource,
  type SeriesFacts,
} from "@/server/core/connections/service/fhir_resources.ts";
import { noteOrders } from "@/server/core/connections/service/orders.ts";
import {
  type Measure,
  type StudyFacts,
  studyFacts,
  studyIdentity,
} from "@/server/core/connections/service/reported_study.ts";
import { type ServiceContext, SITE } from "@/server/core/site/service/context.ts";
import { getReportPdf } from "@/server/core/reports/service/report.ts";
import { VERSION } from "@/server/core/site/service/status.ts";

export const FHIR_TYPES = ["DiagnosticReport", "ImagingStudy", "Observation", "Patient"] as const;
export type FhirType = (typeof FHIR_TYPES)[number];

/** Maximum number of studies in a response to a FHIR search. */
const MAX_STUDIES = 20;
/** Maximum number of studies of which accession numbers are looked up before a search. */
const LOOKED_UP = 500;

const notFound = () => new AppError("entity.not_found", "Cannot answer: there is no such resource");

/** Criteria of a FHIR search; at least one is required. */
interface FhirSearch {
  /** `urn:dicom:uid|urn:oid:…` with a Study Instance UID, or an accession number */
  identifier?: string;
  /** patient ID, alone or after a system: `system|value` */
  patientIdentifier?: string;
  /** reference to a FHIR resource: `Patient/…`, `ImagingStudy/…`, `DiagnosticReport/…` */
  reference?: string;
}

/** Value of a FHIR search token `system|value`; UIDs without the prefix `urn:oid:`. */
const valueOf = (token: string) => token.slice(token.indexOf("|") + 1).replace(/^urn:oid:/, "");

async function pidsOf(
  services: ServiceContext,
  { identifier, patientIdentifier, reference }: FhirSearch,
) {
  const { db } = services;
  if (reference !== undefined) {
    const pid = Number(
      /^(?:Patient|ImagingStudy|DiagnosticReport)\/(\d{1,15})$/.exec(reference)?.[1],
    );
    return pid > 0 ? [pid] : [];
  }
  if (patientIdentifier !== undefined) {
    const rows = await db.selectFrom("patients").select("pid")
      .where("patient_id", "=", valueOf(patientIdentifier)).orderBy("pid", "desc").limit(
        MAX_STUDIES,
      )
      .execute();
    return rows.map(({ pid }) => pid);
  }
  if (identifier === undefined) {
    throw new AppError(
      "input.invalid",
      "Cannot search: identifier, patient or patient.identifier is needed",
      {
        field: "identifier",
      },
    );
  }
  const value = valueOf(identifier), study = await findPatientByStudy(db, value);
  if (study) return [study.row.pid];
  await noteOrders(services, LOOKED_UP);
  return await findByAccession(db, value, MAX_STUDIES);
}

async function seriesOf(
  { db }: ServiceContext,
  pid: number,
): Promise<(SeriesFacts & { id: number })[]> {
  const rows = await db.selectFrom("series as s").innerJoin("instances as i", "i.series_id", "s.id")
    .select((e) => ["s.id", "s.series_uid", "s.description", e.fn.countAll<number>().as("n")])
    .where("s.pid", "=", pid).groupBy(["s.id", "s.series_uid", "s.description"]).orderBy("s.id")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    uid: row.series_uid,
    modality: "MR",
    description: row.description,
    instances: Number(row.n),
  }));
}

/** Volumes of a study without repetitions, in a stable order. */
const measuresOf = ({ measures, regions }: StudyFacts): Measure[] => {
  const wholeBrain = measures.filter(({ side }) => side === null);
  return [...wholeBrain, ...regions];
};

/**
 * FHIR resources of one type for a study. A patient and an imaging study show no results, so none
 * are computed, and studies without results have these resources too.
 * @param isOne Whether a report includes the PDF file.
 * @returns `null` for a study without results, of which the resource would show results.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
async function resourcesOf(
  services: ServiceContext,
  type: FhirType,
  pid: number,
  isOne: boolean,
): Promise<Resource[] | null> {
  const subject = `Patient/${pid}`;
  if (type === "Patient" || type === "ImagingStudy") {
    const series = await seriesOf(services, pid);
    const study = await studyIdentity(services, pid, series.map(({ id }) => id));
    return type === "Patient"
      ? [patientResource(study, String(pid))]
      : [imagingStudyResource(study, String(pid), subject, series)];
  }
  const facts = await studyFacts(services, pid);
  return facts && await resultsOf(services, type, facts, isOne);
}

/** {@link resourcesOf} for resources that show results. */
async function resultsOf(
  services: ServiceContext,
  type: "DiagnosticReport" | "Observation",
  facts: StudyFacts,
  isOne: boolean,
): Promise<Resource[]> {
  const { pid } = facts, subject = `Patient/${pid}`;
  const observations = measuresOf(facts).map((measure, at) =>
    observationResource(measure, facts, `${pid}-${at + 1}`, subject)
  );
  if (type === "Observation") return observations;
  const results = observations.map(({ id }) => `Observation/${id}`);
  const language = services.language ?? "en", whose = { language, anonymize: "false" as const };
  const pdf = isOne
    ? (await getReportPdf(services, pid, whose, SITE, facts.finishedAt)).bytes
    : null;
  return [diagnosticReportResource(
    facts,
    String(pid),
    { subject, study: `ImagingStudy/${pid}`, results },
    pdf && { data: Buffer.from(pdf).toString("base64") },
  )];
}

/** Search result as a FHIR Bundle. @throws {AppError} `input.invalid` without search criteria. */
export async function searchFhir(
  services: ServiceContext,
  type: FhirType,
  search: FhirSearch,
  self: string,
): Promise<{ bundle: Record<string, unknown>; pids: number[] }> {
  const resources: Resource[] = [], pids: number[] = [];
  for (const pid of await pidsOf(services, search)) {
    const found = await resourcesOf(services, type, pid, false).catch((error) => {
      if (error instanceof AppError) return null;
      throw error;
    });
    if (!found) continue;
    pids.push(pid);
    resources.push(...found);
  }
  const root = self.slice(0, self.indexOf(`/${type}`));
  return {
    pids,
    bundle: {
      resourceType: "Bundle",
      type: "searchset",
      total: resources.length,
      link: [{ relation: "self", url: self }],
      entry: resources.map((resource) => ({
        fullUrl: `${root}/${type}/${resource.id}`,
        resource,
        search: { mode: "match" },
      })),
    },
  };
}

/** Reads one FHIR resource by id. @throws {AppError} `entity.not_found`. */
export async function readFhir(
  services: ServiceContext,
  type: FhirType,
  id: string,
): Promise<{ resource: Resource; pid: number }> {
  const pid = Number(id.split("-")[0]), found = await resourcesOf(services, type, pid, true);
  const resource = found?.find((one) => one.id === id);
  if (!resource) throw notFound();
  return { resource, pid };
}

/** FHIR CapabilityStatement: the resources and searches that this server supports. */
export const capabilityStatement = (): Record<string, unknown> => ({
  resourceType: "CapabilityStatement",
  status: "active",
  date: "2026-11-23",
  kind: "instance",
  software: { name: "Sulcus", version: VERSION },
  implementation: { description: "Results of brain MRI analyses" },
  fhirVersion: "4.0.1",
  format: ["json"],
  rest: [{
    mode: "server",
    resource: FHIR_TYPES.map((type) => ({
      type,
      interaction: [{ code: "read" }, { code: "search-type" }],
      searchParam: [
        { name: "identifier", type: "token" },
        ...type === "Patient" ? [] : [{ name: "patient", type: "reference" }],
      ],
    })),
  }],
});
