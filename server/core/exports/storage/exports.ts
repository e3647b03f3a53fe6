import type { ExcelJobRequest } from "@/model/schema/report/excel.ts";
import type { JobStatus } from "@/model/schema/site/jobs.ts";
import type { ReportJobRequest } from "@/model/schema/report/report_job.ts";
import type { RegistryRequest } from "@/model/schema/report/registry.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ExcelExportRow } from "@/server/core/database/tables.ts";
import type { Selectable } from "kysely";

/** Request for a registry file. */
export type RegistryExport = RegistryRequest & { kind: "registry" };

/** Request for an export file: a table, reports (`format` PDF), or a registry file (`kind`). */
export type ExportRequest =
  | (ExcelJobRequest & { kind?: undefined })
  | (ReportJobRequest & { format: "pdf"; kind?: undefined })
  | RegistryExport;

/** An export file generated for a user: a table, reports as PDF, or a registry file. */
export interface StoredExport {
  exportId: string;
  userId: number;
  jobId: number;
  request: ExportRequest;
  status: JobStatus;
  percent: number;
  failedPids: number[];
  createdAt: string;
}

export async function insertExport(
  db: Database,
  made: Pick<StoredExport, "exportId" | "userId" | "jobId" | "request" | "createdAt">,
): Promise<void> {
  await db.insertInto("excel_exports").values({
    excel_id: made.exportId,
    user_id: made.userId,
    job_id: made.jobId,
    request: JSON.stringify(made.request),
    status: "queued",
    created_at: made.createdAt,
  }).execute();
}

const storedOf = (row: Selectable<ExcelExportRow>): StoredExport => ({
  exportId: row.excel_id,
  userId: row.user_id,
  jobId: row.job_id,
  request: JSON.parse(row.request),
  status: row.status,
  percent: row.percent,
  failedPids: JSON.parse(row.failed_pids),
  createdAt: row.created_at,
});

export async function findExport(db: Database, exportId: string): Promise<StoredExport | null> {
  const row = await db.selectFrom("excel_exports").selectAll().where("excel_id", "=", exportId)
    .executeTakeFirst();
  return row ? storedOf(row) : null;
}

/** Export files of a user, newest first. */
export async function listExports(db: Database, userId: number): Promise<StoredExport[]> {
  const rows = await db.selectFrom("excel_exports").selectAll().where("user_id", "=", userId)
    .orderBy("created_at", "desc").execute();
  return rows.map(storedOf);
}

/** Stores the progress of an unfinished export. @returns false if it is finished already. */
export async function setExport(
  db: Database,
  exportId: string,
  state: { status: JobStatus; percent?: number; failedPids?: readonly number[] },
): Promise<boolean> {
  const { status, percent, failedPids } = state;
  const result = await db.updateTable("excel_exports").set({
    status,
    ...(percent === undefined ? {} : { percent }),
    ...(failedPids === undefined ? {} : { failed_pids: JSON.stringify(failedPids) }),
  }).where("excel_id", "=", exportId).where("status", "in", ["queued", "running"])
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export async function deleteExport(db: Database, exportId: string): Promise<void> {
  await db.deleteFrom("excel_exports").where("excel_id", "=", exportId).execute();
}

/**
 * Deletes records of finished exports made before an instant.
 * @returns ids of the exports; the caller deletes their files.
 */
export async function deleteOldExports(db: Database, before: string): Promise<string[]> {
  const rows = await db.deleteFrom("excel_exports").where("created_at", "<", before)
    .where("status", "not in", ["queued", "running"]).returning("excel_id").execute();
  return rows.map((row) => row.excel_id);
}
