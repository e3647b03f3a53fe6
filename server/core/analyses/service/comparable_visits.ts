// Selects a person's studies for the longitudinal comparison, and checks that a stored comparison
// was computed from the selected studies.
import type { Persons } from "@/model/patient/one_person.ts";
import { MAX_VISITS } from "@/server/core/engine/longitudinal.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  type ComparableVisit,
  findLongitudinal,
  listLongitudinals,
  listVisits,
  type LongitudinalResults,
  type StoredVisit,
  type VisitKey,
} from "@/server/core/analyses/storage/longitudinal.ts";
import { personsOf } from "@/server/core/studies/service/headers/persons.ts";

/** Fields that identify a visit in a stored comparison. */
export const keyOf = ({ pid, analysisId, studyDate }: VisitKey): VisitKey => ({
  pid,
  analysisId,
  studyDate,
});
/** Whether two lists of visits have the same studies, analyses and dates, in the same order. */
export const isSame = (a: readonly VisitKey[], b: readonly VisitKey[]) =>
  JSON.stringify(a.map(keyOf)) === JSON.stringify(b.map(keyOf));

/**
 * Visits of one person to compare, oldest first; empty without two different dates. Visits of grade
 * C are excluded. With more than eight visits, the first and the last seven are used.
 */
function comparable<V extends ComparableVisit>(visits: readonly V[]): V[] {
  const good = visits.filter((visit) => visit.grade !== "C");
  const compared = good.length > MAX_VISITS ? [good[0]!, ...good.slice(1 - MAX_VISITS)] : good;
  return new Set(compared.map((visit) => visit.studyDate)).size > 1 ? compared : [];
}

/**
 * Visits to compare of each person with a patient ID.
 * A person without visits to compare has no group.
 */
export const comparableGroups = <V extends ComparableVisit>(
  persons: Persons,
  visits: readonly V[],
): V[][] => persons.groups(visits).map(comparable).filter((group) => group.length > 0);

/** Reads the {@link comparableGroups} of a patient ID from the database. */
export async function comparableVisits(db: Database, patientId: string): Promise<StoredVisit[][]> {
  if (patientId === "") return [];
  return comparableGroups(await personsOf(db, patientId), await listVisits(db, patientId));
}

/**
 * Stored longitudinal comparison that contains a study.
 * `null` for a study without a comparison, or with an outdated comparison.
 */
export const currentLongitudinal = async (
  db: Database,
  patientId: string,
  pid: number,
): Promise<LongitudinalResults | null> => await (await currentLongitudinals(db, patientId))(pid);

/** {@link currentLongitudinal} of any study with a patient ID. */
export async function currentLongitudinals(
  db: Database,
  patientId: string,
): Promise<(pid: number) => Promise<LongitudinalResults | null>> {
  const groups = await comparableVisits(db, patientId);
  const all = groups.length === 0 ? [] : await listLongitudinals(db, patientId);
  return async (pid) => {
    const visits = groups.find((group) => group.some((visit) => visit.pid === pid));
    const stored = visits && all.find(({ firstPid }) => firstPid === visits[0]!.pid);
    if (!visits || !stored?.visits || !isSame(stored.visits, visits)) return null;
    return await findLongitudinal(db, patientId, stored.firstPid);
  };
}

/** Numbers of the studies in stored comparisons of patient IDs, outdated comparisons included. */
export async function comparedStudies(
  db: Database,
  patientIds: Iterable<string>,
): Promise<ReadonlySet<number>> {
  const pids = new Set<number>();
  for (const patientId of patientIds) {
    for (const { visits } of await listLongitudinals(db, patientId)) {
      for (const { pid } of visits ?? []) pids.add(pid);
    }
  }
  return pids;
}
