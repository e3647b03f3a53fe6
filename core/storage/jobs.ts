import { type Selectable, sql } from "kysely";
import type { Database } from "@/core/storage/database.ts";
import type { JobRow, JobStatus } from "@/core/storage/tables.ts";
import type { ErrorDetails } from "@/model/errors.ts";

export interface StoredJob {
  id: number;
  kind: string;
  payload: unknown;
  status: JobStatus;
  percent: number;
  crashes: number;
  interruptions: number;
}

const jobOf = (row: Selectable<JobRow>): StoredJob => ({
  id: row.id,
  kind: row.kind,
  payload: JSON.parse(row.payload),
  status: row.status,
  percent: row.percent,
  crashes: row.crashes,
  interruptions: row.interruptions,
});

export async function insertJob(
  db: Database,
  job: { kind: string; payload: unknown; createdAt: string },
): Promise<number> {
  const row = await db.insertInto("jobs").values({
    kind: job.kind,
    payload: JSON.stringify(job.payload),
    status: "queued",
    owner: null,
    lease_ms: null,
    error_code: null,
    error_details: null,
    created_at: job.createdAt,
    finished_at: null,
  }).returning("id").executeTakeFirstOrThrow();
  return row.id;
}

/**
 * Takes the oldest queued job, in one statement, so that two runners never take the same one.
 * @param except Kinds that are not taken now.
 */
export async function claimJob(
  db: Database,
  owner: string,
  leaseMs: number,
  except: readonly string[] = [],
): Promise<StoredJob | null> {
  const row = await db.updateTable("jobs").set({ status: "running", owner, lease_ms: leaseMs })
    .where(
      "id",
      "=",
      (e) => {
        const queued = e.selectFrom("jobs").select("id").where("status", "=", "queued");
        return (except.length > 0 ? queued.where("kind", "not in", except) : queued).orderBy("id").limit(1);
      },
    )
    .returningAll().executeTakeFirst();
  return row ? jobOf(row) : null;
}

/** Lengthens the lease of the jobs an owner runs. */
export async function renewLeases(db: Database, owner: string, leaseMs: number): Promise<void> {
  await db.updateTable("jobs").set({ lease_ms: leaseMs })
    .where("owner", "=", owner).where("status", "=", "running").execute();
}

/** Puts the running jobs of other owners whose lease ended before `nowMs` back into the queue. */
export async function requeueLost(
  db: Database,
  owner: string,
  nowMs: number,
): Promise<{ id: number; interruptions: number }[]> {
  return await db.updateTable("jobs").set({
    status: "queued",
    owner: null,
    lease_ms: null,
    interruptions: sql<number>`interruptions + 1`,
  }).where("status", "=", "running").where("owner", "!=", owner).where("lease_ms", "<", nowMs)
    .returning(["id", "interruptions"]).execute();
}

/** Puts a job back after its worker crashed. */
export async function requeueCrashed(db: Database, id: number): Promise<void> {
  await db.updateTable("jobs").set({
    status: "queued",
    owner: null,
    lease_ms: null,
    crashes: sql<number>`crashes + 1`,
  }).where("id", "=", id).where("status", "=", "running").execute();
}

export async function setJobPercent(db: Database, id: number, percent: number): Promise<void> {
  await db.updateTable("jobs").set({ percent }).where("id", "=", id).where("status", "=", "running")
    .execute();
}

/** Ends a job that is not over yet. @returns whether this call ended it. */
export async function finishJob(
  db: Database,
  id: number,
  end: {
    status: Extract<JobStatus, "done" | "failed" | "canceled">;
    finishedAt: string;
    errorCode?: string;
    errorDetails?: ErrorDetails;
  },
): Promise<boolean> {
  const result = await db.updateTable("jobs").set({
    status: end.status,
    owner: null,
    lease_ms: null,
    finished_at: end.finishedAt,
    error_code: end.errorCode ?? null,
    error_details: end.errorDetails ? JSON.stringify(end.errorDetails) : null,
  }).where("id", "=", id).where("status", "in", ["queued", "running"]).executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export async function findJob(db: Database, id: number): Promise<StoredJob | null> {
  const row = await db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? jobOf(row) : null;
}

/** Puts a running job of an owner back into the queue, as if it had not been taken. */
export async function releaseJob(db: Database, id: number, owner: string): Promise<void> {
  await db.updateTable("jobs").set({ status: "queued", owner: null, lease_ms: null })
    .where("id", "=", id).where("owner", "=", owner).where("status", "=", "running").execute();
}
