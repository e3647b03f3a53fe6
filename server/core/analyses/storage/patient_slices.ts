import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Database } from "@/server/core/database/database.ts";

/** A range of patient IDs, of so few studies that they are read within milliseconds. */
export interface PatientSlice {
  /** lower end of the range, exclusive; patient IDs are ordered by their bytes */
  after: string;
  /** upper end of the range, inclusive; `null`: up to the last patient ID */
  until: string | null;
}

/** Number of studies in a slice, or more, since a patient's studies are never split. */
const STUDIES = 500;

/** The slice after a patient ID. Studies without a patient ID belong to no slice. */
export async function patientSliceAfter(db: Database, after: string): Promise<PatientSlice> {
  const row = await db.selectFrom("patients").select("patient_id").where("patient_id", ">", after)
    .orderBy("patient_id").limit(1).offset(STUDIES - 1).executeTakeFirst();
  return { after, until: row?.patient_id ?? null };
}

/** SQL condition: the patient ID in a column belongs to a slice. */
export const isInSlice = (column: string, { after, until }: PatientSlice): RawBuilder<SqlBool> => {
  const id = sql.ref(column);
  return until === null ? sql`${id} > ${after}` : sql`${id} > ${after} AND ${id} <= ${until}`;
};
