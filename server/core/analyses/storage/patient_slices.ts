import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Database } from "@/server/core/database/database.ts";

/** A range of patient ids that can be read within milliseconds. */
export interface PatientSlice {
  /** lower end of the patient ids, exclusive; ids are ordered by their bytes */
  after: string;
  /** upper end, inclusive; `null`: all remaining ids */
  until: string | null;
}

/** Number of studies in a slice; a patient's studies are never split between slices. */
const STUDIES = 500;

/** The slice after an id. Studies without a patient id belong to no slice. */
export async function patientSliceAfter(db: Database, after: string): Promise<PatientSlice> {
  const row = await db.selectFrom("patients").select("patient_id").where("patient_id", ">", after)
    .orderBy("patient_id").limit(1).offset(STUDIES - 1).executeTakeFirst();
  return { after, until: row?.patient_id ?? null };
}

/** Whether the patient id in a column belongs to a slice. */
export const isInSlice = (column: string, { after, until }: PatientSlice): RawBuilder<SqlBool> => {
  const id = sql.ref(column);
  return until === null ? sql`${id} > ${after}` : sql`${id} > ${after} AND ${id} <= ${until}`;
};
