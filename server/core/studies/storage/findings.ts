// Stores findings of studies, which the worklist shows and sorts by.
import { sql } from "kysely";
import { FINDING_RULES } from "@/model/findings/finding_rules.ts";
import type { StudyFinding } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { isAmong, numberList } from "@/server/core/database/postgres.ts";

/** SQL condition: no finding is stored, or its rules are of another version. */
const lacksFinding = sql<
  boolean
>`(finding IS NULL OR finding_rules IS NULL OR finding_rules <> ${FINDING_RULES})`;

/**
 * SQL: 1 if the stored finding says that the ICV is implausible, otherwise 0.
 * The worklist reads no results, but with this value it limits the grade as reports do.
 */
export const isIcvBeyond = sql<number>`CASE WHEN a1.status = 'completed'
  AND p.finding LIKE '%"is_icv_beyond":true%' THEN 1 ELSE 0 END`;

/** Maximum number of rows in one SQL statement. */
const ROWS_PER_STATEMENT = 1000;

/** Percentiles by which studies are sorted: of the most deviating region, and of the lesions. */
interface FindingOrder {
  deviation: number | null;
  lesions: number | null;
}

/** Finding of a study with the values by which the worklist sorts it. */
export interface PlacedFinding {
  pid: number;
  finding: StudyFinding;
  order: FindingOrder;
}

/**
 * Stores the findings of studies.
 * @param isMissing Whether to write a finding only if none by the current rules is stored:
 * a finding that was stored after the results were read is then kept.
 */
export async function setFindings(
  db: Database,
  findings: readonly PlacedFinding[],
  isMissing = false,
): Promise<void> {
  for (let from = 0; from < findings.length; from += ROWS_PER_STATEMENT) {
    const rows = findings.slice(from, from + ROWS_PER_STATEMENT).map(({ pid, finding, order }) =>
      sql`(${pid}, ${JSON.stringify(finding)}, ${order.deviation}, ${order.lesions})`
    );
    // both databases name VALUES columns column1 …; PostgreSQL takes their values for texts
    await sql`UPDATE patients SET finding = new.column2, finding_rules = ${FINDING_RULES},
        deviation = CAST(new.column3 AS double precision),
        lesion_order = CAST(new.column4 AS double precision)
      FROM (VALUES ${sql.join(rows)}) AS new
      WHERE patients.pid = CAST(new.column1 AS bigint)
      ${isMissing ? sql`AND ${lacksFinding}` : sql``}`.execute(db);
  }
}

/** Stores the finding of one study, see {@link setFindings}. */
export const setFinding = (
  db: Database,
  pid: number,
  finding: StudyFinding,
  order: FindingOrder,
): Promise<void> => setFindings(db, [{ pid, finding, order }]);

/**
 * Marks stored findings as made by other rules: none is shown before it is computed again.
 * Call in the transaction of a change after which findings of many studies are computed.
 */
export async function outdateFindings(db: Database, pids: readonly number[]): Promise<void> {
  if (pids.length === 0) return;
  await db.updateTable("patients").set({ finding_rules: null })
    .where(isAmong(db, "patients.pid", numberList(db, pids))).execute();
}

/** Numbers of analysed studies without a finding by the current rules, in batches. */
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
