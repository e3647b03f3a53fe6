import { contradictionsOf, type Persons, personsAmong } from "@/model/patient/one_person.ts";
import type { NamedPerson } from "@/model/patient/shared_id.ts";
import type { OtherPersonVisit } from "@/model/schema/reading/comparables.ts";
import type { Database } from "@/server/core/database/database.ts";
import { listRecords } from "@/server/core/studies/storage/hospital_identity.ts";

/** Groups the studies with a patient ID into persons; studies need not be analysed. */
export const personsOf = async (db: Database, patientId: string): Promise<Persons> =>
  personsAmong(await listRecords(db, patientId));

/** Studies with the same patient ID that belong to other people, in order, with the reason. */
export function otherPersonVisits(
  persons: Persons,
  own: NamedPerson & { pid: number },
  visits: readonly (NamedPerson & { pid: number; study_date: string | null })[],
): OtherPersonVisit[] {
  const same = new Set(persons.sameAs(own, visits));
  return visits.filter((visit) => visit.pid !== own.pid && !same.has(visit))
    .map((visit) => ({
      study_date: visit.study_date,
      differs: contradictionsOf(own, visit),
      ...(persons.shared && { shared_id: persons.shared }),
    }));
}
