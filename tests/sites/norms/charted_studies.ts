import type { Database } from "@/server/core/database/database.ts";

/** Adds studies 1 to `count` to an empty database, for control charts without stored results. */
export async function addChartedStudies(db: Database, count: number): Promise<void> {
  for (let from = 1; from <= count; from += 500) {
    await db.insertInto("patients").values(
      Array.from({ length: Math.min(500, count - from + 1) }, (_, n) => ({
        pid: from + n,
        study_uid: `1.2.3.${from + n}`,
        patient_id: `P-${from + n}`,
        patient_name: "",
        created_at: "2026-01-06T00:00:00Z",
      })),
    ).execute();
  }
}
