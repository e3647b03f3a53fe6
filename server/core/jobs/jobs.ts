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
  /** name of the request that queued it; `null` when none did */
  trace: string | null;
}

/** Where a payload says which request queued it. */
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

/** In which order jobs are taken: the lowest first, the oldest of those. */
export const PRIORITY = { person: 0, automatic: 1, catchUp: 2 } as const;
export type Priority = typeof PRIORITY[keyof typeof PRIORITY];

/** A job that is to be queued. */
interface NewJob {
  kind: string;
  payload: unknown;
  createdAt: string;
  /** a person waits for it by default */
  priority?: Priority;
  /** names its work: while a job of the kind with the same key is queued, no other is added */
  key?: string;
}

/**
 * The status as a literal, as in the partial indexes: a parameter would keep the database from
 * using them.
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

/** @returns its number; of a job without a key, which is always added. */
export async function insertJob(db: Database, job: Omit<NewJob, "key">): Promise<number> {
  const row = await db.insertInto("jobs").values(rowOf(job)).returning("id")
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Jobs of one statement: SQLite takes at most 32,766 values. */
const JOBS_AT_ONCE = 1000;

/**
 * Adds those jobs of one kind whose key is not queued, in as few statements as there can be; a
 * queued one that is more urgent now gets the new priority.
 * @returns how many were added.
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

/** Now, ms: of the database's clock where several machines share it. */
const clock = (db: Database) =>
  isPostgres(db)
    ? sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`
    : sql<number>`${Date.now()}`;

/**
 * Takes the most urgent queued job, of those the oldest, in one statement, so that two runners
 * never take the same one. Its key is free from now on: a change while it runs needs another run.
 * @param leaseMs How long it is the owner's unless it is renewed.
 * @param except Kinds that are not taken now.
 * @param waiting Jobs that are not taken now.
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

/** Lengthens the lease of the jobs an owner runs. @returns those that are still its own. */
export async function renewLeases(db: Database, owner: string, leaseMs: number): Promise<number[]> {
  const rows = await db.updateTable("jobs").set({
    lease_ms: sql<number>`${clock(db)} + ${leaseMs}`,
  })
    .where("owner", "=", owner).where("status", "=", RUNNING).returning("id").execute();
  return rows.map((row) => row.id);
}

/** Whether an owner still runs a job: its lease may have ended, and another taken it. */
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
 * Puts running jobs of other owners back into the queue: all, or those whose lease has expired.
 * @param which `leaseMs`: the longest lease; one that ends later is from before the clock was set
 *   back, and its owner, if there is one, has renewed it since.
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

/**
 * Ends a job that is not over yet, or that `owner` still runs. @returns whether this call ended it.
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

/** Puts a running job of an owner back into the queue, as if it had not been taken. */
export async function releaseJob(db: Database, id: number, owner: string): Promise<void> {
  await db.updateTable("jobs").set({ status: "queued", owner: null, lease_ms: null })
    .where("id", "=", id).where("owner", "=", owner).where("status", "=", "running").execute();
}

/** A job as its list shows it. */
export interface ListedJob
  extends Pick<StoredJob, "id" | "kind" | "payload" | "status" | "percent"> {
  createdAt: string;
  finishedAt: string | null;
  errorCode: string | null;
}

/** Jobs that wait or run, oldest first, then the newest of those that are over. */
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

/** How many jobs there are of each status. */
export async function countJobs(db: Database): Promise<Record<JobStatus, number>> {
  const rows = await db.selectFrom("jobs").select((
    e,
  ) => ["status", e.fn.countAll<number>().as("n")])
    .groupBy("status").execute();
  const none = { queued: 0, running: 0, done: 0, failed: 0, canceled: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ status, n }) => [status, Number(n)])) };
}

/** How many processes run a job now. */
export async function countOwners(db: Database): Promise<number> {
  const { n } = await db.selectFrom("jobs").select((e) =>
    e.fn.count<number>("owner").distinct().as("n")
  )
    .where("status", "=", RUNNING).executeTakeFirstOrThrow();
  return Number(n);
}
