// Findings of studies as they are stored for the worklist.
import { sql } from "kysely";
import { FINDING_RULES } from "@/model/findings/finding_rules.ts";
import type { StudyFinding } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";

/** Where no finding is stored, or one of other rules. */
const lacksFinding = sql<
  boolean
>`(finding IS NULL OR finding_rules IS NULL OR finding_rules <> ${FINDING_RULES})`;

/**
 * SQL: 1 if the stored finding says that the ICV is implausible, otherwise 0.
 * A list reads no results, and then limits the grade as the report does.
 */
export const isIcvBeyond = sql<number>`CASE WHEN a1.status = 'completed'
  AND p.finding LIKE '%"is_icv_beyond":true%' THEN 1 ELSE 0 END`;

/**
 * @param order Percentiles for sorting studies: of the part with the largest deviation,
 * and the equivalent for lesions.
 * @param isMissing Stores a finding only if none of the current rules is stored.
 * A finding that was stored after the results were read is kept.
 */
export async function setFinding(
  db: Database,
  pid: number,
  finding: StudyFinding,
  { deviation, lesions, isMissing = false }: {
    deviation: number | null;
    lesions: number | null;
    isMissing?: boolean;
  },
): Promise<void> {
  await db.updateTable("patients").set({
    finding: JSON.stringify(finding),
    finding_rules: FINDING_RULES,
    deviation,
    lesion_order: lesions,
  }).where("pid", "=", pid).$if(isMissing, (query) => query.where(lacksFinding)).execute();
}

/** Analysed studies without a finding by the current rules, in batches. */
export async function listPidsWithoutFinding(
  db: Database,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.selectFrom("patients as p")
    .leftJoin("analyses as a1", "a1.id", "p.t1_analysis_id")
    .leftJoin("analyses as a2", "a2.id", "p.t2_analysis_id")
    .select("p.pid").where("p.pid", ">", after)
    .where(lacksFinding)
    .where((e) => e.or([e("a1.status", "=", "completed"), e("a2.status", "=", "completed")]))
    .orderBy("p.pid").limit(limit).execute();
  return rows.map(({ pid }) => pid);
}
