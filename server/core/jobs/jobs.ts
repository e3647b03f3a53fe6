import { type Selectable, sql } from "kysely";
import type { Database } from "@/server/core/database/database.ts";
import { CLOCK_SKEW_MS } from "@/model/time/stored_time.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";
import type { JobRow, JobStatus } from "@/server/core/database/tables.ts";
import { currentTrace } from "@/server/core/database/trace.ts";
import type { ErrorDetails } from "@/model/errors.ts";

export interface StoredJob {
  id: number;
  kind: string;
  payload: unknown;
  status: JobStatus;
  percent: number;
  crashes: number;
  interruptions: number;
  /** id of the request that queued the job; `null` without a request */
  trace: string | null;
}

/** Field that a job's payload gets for the id of the request that queued the job. */
const TRACE = "trace";

function jobOf(row: Selectable<JobRow>): StoredJob {
  const payload = JSON.parse(row.payload), trace: unknown = payload?.[TRACE];
  return {
    id: row.id,
    kind: row.kind,
    payload,
    status: row.status,
    percent: row.percent,
    crashes: row.crashes,
    interruptions: row.interruptions,
    trace: typeof trace === "string" ? trace : null,
  };
}

/** Priorities of jobs: the lowest number runs first, and older jobs before newer jobs. */
export const PRIORITY = { person: 0, automatic: 1, catchUp: 2 } as const;
export type Priority = typeof PRIORITY[keyof typeof PRIORITY];

/** A job to be queued. */
interface NewJob {
  kind: string;
  payload: unknown;
  createdAt: string;
  /** default: priority of a job for which a user waits */
  priority?: Priority;
  /** deduplication key: the job is not added while a job of the same kind and key is queued */
  key?: string;
}

/**
 * Job status as an SQL literal, because the partial indexes contain the literal.
 * Databases do not use a partial index for a status given as parameter.
 */
const QUEUED = sql.lit("queued" as JobStatus), RUNNING = sql.lit("running" as JobStatus);

function rowOf({ kind, payload, createdAt, priority = PRIORITY.person, key }: NewJob) {
  const trace = currentTrace();
  const traced = trace !== null && typeof payload === "object" && payload !== null
    ? { ...payload, [TRACE]: trace }
    : payload;
  return {
    kind,
    payload: JSON.stringify(traced),
    status: "queued" as const,
    owner: null,
    lease_ms: null,
    error_code: null,
    error_details: null,
    created_at: createdAt,
    finished_at: null,
    priority,
    job_key: key ?? null,
  };
}

/** Adds a job without a deduplication key. @returns id of the job. */
export async function insertJob(db: Database, job: Omit<NewJob, "key">): Promise<number> {
  const row = await db.insertInto("jobs").values(rowOf(job)).returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Maximum number of jobs per INSERT: SQLite allows 32,766 values per statement. */
const JOBS_AT_ONCE = 1000;

/**
 * Adds the jobs of one kind with keys that are not queued yet, in few statements.
 * A job that is queued with a less urgent priority gets the new priority.
 * @returns number of added jobs.
 */
export async function insertMissingJobs(
  db: Database,
  kind: string,
  jobs: readonly { payload: unknown; key: string }[],
  { createdAt, priority }: Required<Pick<NewJob, "createdAt" | "priority">>,
): Promise<number> {
  let added = 0;
  for (let i = 0; i < jobs.length; i += JOBS_AT_ONCE) {
    const batch = jobs.slice(i, i + JOBS_AT_ONCE), keys = batch.map(({ key }) => key);
    await db.updateTable("jobs").set({ priority }).where("kind", "=", kind).where(
      "status",
      "=",
      QUEUED,
    )
      .where("job_key", "in", keys).where("priority", ">", priority).execute();
    const rows = batch.map((job) => rowOf({ ...job, kind, createdAt, priority }));
    const result = await db.insertInto("jobs").values(rows).onConflict((conflict) =>
      conflict.doNothing()
    )
      .executeTakeFirst();
    added += Number(result.numInsertedOrUpdatedRows ?? 0);
  }
  return added;
}

/** Current time, ms; by the database's clock when several machines share the database. */
const clock = (db: Database) =>
  isPostgres(db)
    ? sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`
    : sql<number>`${Date.now()}`;

/**
 * Claims the most urgent, then oldest queued job in a single statement, so that no other process
 * can claim it too. The key is released: a change during the run must queue another run.
 * @param leaseMs Duration of the lease, which the runner renews.
 * @param except Kinds of jobs that must not be claimed at the moment.
 * @param waiting Ids of postponed jobs, which must not be claimed at the moment.
 */
export async function claimJob(
  db: Database,
  owner: string,
  leaseMs: number,
  except: readonly string[] = [],
  waiting: readonly number[] = [],
): Promise<StoredJob | null> {
  const lease_ms = sql<number>`${clock(db)} + ${leaseMs}`;
  const row = await db.updateTable("jobs").set({
    status: "running",
    owner,
    lease_ms,
    job_key: null,
  })
    .where(
      "id",
      "=",
      (e) => {
        const queued = e.selectFrom("jobs").select("id").where("status", "=", QUEUED);
        const ready = except.length > 0 ? queued.where("kind", "not in", except) : queued;
        const first = (waiting.length > 0 ? ready.where("id", "not in", waiting) : ready)
          .orderBy("priority").orderBy("id").limit(1);
        return isPostgres(db) ? first.forUpdate().skipLocked() : first;
      },
    )
    .returningAll().executeTakeFirst();
  return row ? jobOf(row) : null;
}

/** Renews the leases of a process's jobs. @returns ids of the jobs that the process still owns. */
export async function renewLeases(db: Database, owner: string, leaseMs: number): Promise<number[]> {
  const rows = await db.updateTable("jobs").set({
    lease_ms: sql<number>`${clock(db)} + ${leaseMs}`,
  })
    .where("owner", "=", owner).where("status", "=", RUNNING).returning("id").execute();
  return rows.map((row) => row.id);
}

/** Whether a process still owns a job: another may claim it after the lease has expired. */
export async function ownsJob(db: Database, id: number, owner: string): Promise<boolean> {
  const row = await db.selectFrom("jobs").select("id").where("id", "=", id).where(
    "owner",
    "=",
    owner,
  )
    .where("status", "=", "running").executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns running jobs of other processes to the queue: all, or those with an expired lease.
 * @param which `leaseMs`: maximum lease. A lease that ends later was stored before the clock was
 * set back, and counts as expired: a process that still runs would have renewed it since.
 */
export async function requeueLost(
  db: Database,
  owner: string,
  which: "all" | { leaseMs: number },
): Promise<{ id: number; interruptions: number }[]> {
  const update = db.updateTable("jobs").set({
    status: "queued",
    owner: null,
    lease_ms: null,
    interruptions: sql<number>`interruptions + 1`,
  }).where("status", "=", RUNNING).where("owner", "!=", owner);
  const lost = which === "all" ? update : update.where((e) =>
    e.or([
      e("lease_ms", "<", clock(db)),
      e("lease_ms", ">", sql<number>`${clock(db)} + ${which.leaseMs + CLOCK_SKEW_MS}`),
    ])
  );
  return await lost
    .returning(["id", "interruptions"]).execute();
}

/** Returns a job to the queue after the worker of the job crashed. */
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

/**
 * Finishes an unfinished job; with `owner`, only if that process still owns the job.
 * @returns whether this call finished the job.
 */
export async function finishJob(
  db: Database,
  id: number,
  end: {
    status: Extract<JobStatus, "done" | "failed" | "canceled">;
    finishedAt: string;
    errorCode?: string;
    errorDetails?: ErrorDetails;
    owner?: string;
  },
): Promise<boolean> {
  const update = db.updateTable("jobs").set({
    status: end.status,
    owner: null,
    lease_ms: null,
    finished_at: end.finishedAt,
    error_code: end.errorCode ?? null,
    error_details: end.errorDetails ? JSON.stringify(end.errorDetails) : null,
  }).where("id", "=", id).where("status", "in", ["queued", "running"]);
  const result = await (end.owner === undefined ? update : update.where("owner", "=", end.owner))
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export async function findJob(db: Database, id: number): Promise<StoredJob | null> {
  const row = await db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? jobOf(row) : null;
}

/** Returns a process's running job to the queue without counting the attempt. */
export async function releaseJob(db: Database, id: number, owner: string): Promise<void> {
  await db.updateTable("jobs").set({ status: "queued", owner: null, lease_ms: null })
    .where("id", "=", id).where("owner", "=", owner).where("status", "=", "running").execute();
}

/** A job as the page of jobs lists it. */
export interface ListedJob
  extends Pick<StoredJob, "id" | "kind" | "payload" | "status" | "percent"> {
  createdAt: string;
  finishedAt: string | null;
  errorCode: string | null;
}

/** Queued and running jobs, oldest first, then the most recently finished jobs. */
export async function listJobs(db: Database, count: number): Promise<ListedJob[]> {
  const jobs = db.selectFrom("jobs").selectAll().limit(count);
  const [open, over] = await Promise.all([
    jobs.where("status", "in", [QUEUED, RUNNING]).orderBy("status", "desc").orderBy("id").execute(),
    jobs.where("status", "not in", [QUEUED, RUNNING]).orderBy("id", "desc").execute(),
  ]);
  return [...open, ...over].slice(0, count).map((row) => ({
    ...jobOf(row),
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    errorCode: row.error_code,
  }));
}

/** Number of jobs of each status. */
export async function countJobs(db: Database): Promise<Record<JobStatus, number>> {
  const rows = await db.selectFrom("jobs").select((
    e,
  ) => ["status", e.fn.countAll<number>().as("n")])
    .groupBy("status").execute();
  const none = { queued: 0, running: 0, done: 0, failed: 0, canceled: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ status, n }) => [status, Number(n)])) };
}

/** Number of processes that are running a job. */
export async function countOwners(db: Database): Promise<number> {
  const { n } = await db.selectFrom("jobs").select((e) =>
    e.fn.count<number>("owner").distinct().as("n")
  )
    .where("status", "=", RUNNING).executeTakeFirstOrThrow();
  return Number(n);
}
