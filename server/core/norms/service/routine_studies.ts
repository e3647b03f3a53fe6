import { histogramOf, type Residual } from "@/model/norms/indirect/histogram.ts";
import { sparseOf } from "@/model/norms/indirect/pooling.ts";
import { LOCAL_MEASURES, type MeasureName } from "@/model/norms/local_norms.ts";
import { errorOf, type Method, methodOf, PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import { listResults } from "@/server/core/analyses/storage/analyses.ts";
import { listResultPlaces } from "@/server/core/norms/storage/local_norms.ts";
import type { MeasureCounts, RoutineCounts } from "@/server/core/norms/storage/routine_norms.ts";
import { problemOf, publishedZ } from "@/server/core/norms/service/controls.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { protocolsOf, scannersOf } from "@/server/core/studies/service/scanners.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";

/** Number of results read in one batch; requests are handled between two batches. */
const SLICE = 100;
/**
 * Maximum number of patients per scanner and protocol; the newest patients are used.
 * A change of the scanner would be hidden by many years of older studies.
 */
const MAX_PATIENTS = 500;

/** One reliable routine study of a patient. */
interface RoutineStudy {
  patientId: string;
  /** study date, ISO 8601; empty: unknown, sorted as the oldest */
  studyDate: string;
  pid: number;
  age: number;
  z: Map<MeasureName, number>;
}

/** Counts of routine studies for one scanner and protocol. */
export interface CountedGroup {
  scanner: string;
  protocol: string;
  engineVersion: string;
  studies: number;
  counts: RoutineCounts;
}

function countsOf(studies: readonly RoutineStudy[], method: Method): RoutineCounts {
  const measures: Partial<Record<MeasureName, MeasureCounts>> = {};
  for (const { measure, key, name } of LOCAL_MEASURES) {
    const error = errorOf(measure, key, method);
    const residuals = studies.flatMap(({ age, z }): Residual[] => {
      const value = z.get(name);
      return value === undefined ? [] : [{ age, z: value }];
    });
    if (error && residuals.length > 0) {
      measures[name] = { ...sparseOf(histogramOf(residuals)), bias: error.bias };
    }
  }
  return { hasOpinion: method.hasOpinion, measures };
}

/** The newest study of each patient. */
function newestOf(studies: readonly RoutineStudy[]): RoutineStudy[] {
  const newest = new Map<string, RoutineStudy>();
  const sorted = [...studies].sort((a, b) =>
    b.studyDate.localeCompare(a.studyDate) || b.pid - a.pid
  );
  for (const study of sorted) {
    if (!newest.has(study.patientId)) newest.set(study.patientId, study);
  }
  return [...newest.values()].slice(0, MAX_PATIENTS);
}

/**
 * Counts the routine studies of each scanner and protocol: the newest reliable study of each
 * patient (grade A or B, known age and sex, 18 to 100 years) by the most frequent engine version.
 * Studies with and without second opinion are counted separately.
 * Studies without a patient ID are left out, because one person might be counted twice.
 */
export async function countRoutine(services: ServiceContext): Promise<CountedGroup[]> {
  const { db } = services;
  const groups = new Map<
    string,
    { name: [string, string]; versions: Map<string, RoutineStudy[]> }
  >();
  const methods = new Map<string, Method>();
  for (let after = 0;;) {
    const places = await listResultPlaces(db, after, SLICE);
    if (places.length === 0) break;
    after = places.at(-1)!.id;
    const seriesIds = places.map(({ seriesId }) => seriesId);
    const [scanners, protocols, results] = [
      await scannersOf(services, seriesIds),
      await protocolsOf(services, seriesIds),
      await listResults(db, places.map(({ id }) => id)),
    ];
    const patients = new Map(
      (await readPatients(db, places.map(({ pid }) => pid))).map((each) => [each.row.pid, each]),
    );
    for (const { id, pid, seriesId, engineVersion } of places) {
      const patient = patients.get(pid), result = results.get(id)?.results ?? null;
      const scanner = scanners.get(seriesId) ?? "", patientId = patient?.row.patient_id.trim();
      if (!patient || !result || !patientId || engineVersion === null || scanner === "") continue;
      if (problemOf(patient, result) !== null) continue;
      const protocol = protocols.get(seriesId) ?? "", key = `${scanner.toLowerCase()}\n${protocol}`;
      const group = groups.get(key) ?? { name: [scanner, protocol], versions: new Map() };
      groups.set(key, group);
      const method = methodOf(result), version = `${method.hasOpinion}\n${engineVersion}`;
      methods.set(version, method);
      group.versions.set(version, [...group.versions.get(version) ?? [], {
        patientId,
        studyDate: patient.row.study_date ?? "",
        pid,
        age: patient.row.patient_age!,
        z: publishedZ(patient, result),
      }]);
    }
    // pending requests are handled first
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return [...groups.values()].map(({ name: [scanner, protocol], versions }) => {
    const [version, studies] = [...versions].map(([version, all]) =>
      [version, newestOf(all)] as const
    ).sort((
      [a, x],
      [b, y],
    ) => y.length - x.length || b.localeCompare(a, "en", { numeric: true }))[0]!;
    const [, engineVersion] = version.split("\n") as [string, string];
    return {
      scanner,
      protocol,
      engineVersion,
      studies: studies.length,
      counts: countsOf(studies, methods.get(version) ?? PLAIN_METHOD),
    };
  });
}
