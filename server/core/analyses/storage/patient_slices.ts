import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Database } from "@/server/core/database/database.ts";

/** A range of patient ids, small enough to be read in some milliseconds. */
export interface PatientSlice {
  /** ids behind this one, in the order of their bytes */
  after: string;
  /** the last id; `null`: as far as there are any */
  until: string | null;
}

/** Studies of a slice; of patients with more, the slice ends with the patient. */
const STUDIES = 500;

/** The slice that follows an id. Studies without a patient id belong to none. */
export async function patientSliceAfter(db: Database, after: string): Promise<PatientSlice> {
  const row = await db.selectFrom("patients").select("patient_id").where("patient_id", ">", after)
    .orderBy("patient_id").limit(1).offset(STUDIES - 1).executeTakeFirst();
  return { after, until: row?.patient_id ?? null };
}

/** Whether the patient id in a column is of a slice. */
export const isInSlice = (column: string, { after, until }: PatientSlice): RawBuilder<SqlBool> => {
  const id = sql.ref(column);
  return until === null ? sql`${id} > ${after}` : sql`${id} > ${after} AND ${id} <= ${until}`;
};
