// Studies of a patient that are compared, and whether the stored comparison is of these.
import { mayAllBeOnePerson } from "@/model/patient/one_person.ts";
import { MAX_VISITS } from "@/server/core/engine/longitudinal.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  type ComparableVisit,
  findLongitudinal,
  listVisits,
  type LongitudinalResults,
  type StoredVisit,
  type VisitKey,
} from "@/server/core/analyses/storage/longitudinal.ts";

/** The part of a visit that is stored with a comparison. */
export const keyOf = ({ pid, analysisId, studyDate }: VisitKey): VisitKey => ({
  pid,
  analysisId,
  studyDate,
});
/** Whether two lists have the same studies, analyses and dates. */
export const isSame = (a: readonly VisitKey[], b: readonly VisitKey[]) =>
  JSON.stringify(a.map(keyOf)) === JSON.stringify(b.map(keyOf));

/**
 * Visits of a patient to compare, oldest first; empty without two different dates, and when studies
 * with the same patient ID have contradicting birth dates or sexes. Visits of grade C are excluded. With more than eight visits, the first and the last seven are used.
 */
export function comparable<V extends ComparableVisit>(visits: readonly V[]): V[] {
  if (!mayAllBeOnePerson(visits)) return [];
  const good = visits.filter((visit) => visit.grade !== "C");
  const compared = good.length > MAX_VISITS ? [good[0]!, ...good.slice(1 - MAX_VISITS)] : good;
  return new Set(compared.map((visit) => visit.studyDate)).size > 1 ? compared : [];
}

/** The {@link comparable} visits of a patient. */
export const comparableVisits = async (db: Database, patientId: string): Promise<StoredVisit[]> =>
  patientId === "" ? [] : comparable(await listVisits(db, patientId));

/** Stored comparison of a patient's studies; `null` without one that is up to date. */
export async function currentLongitudinal(
  db: Database,
  patientId: string,
): Promise<LongitudinalResults | null> {
  const stored = await findLongitudinal(db, patientId);
  if (!stored?.results) return null;
  return isSame(stored.visits, await comparableVisits(db, patientId)) ? stored.results : null;
}
