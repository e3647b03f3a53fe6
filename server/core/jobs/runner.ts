import { AppError, isPassing } from "@/model/errors.ts";
import type { Log } from "@/model/site/log.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  claimJob,
  findJob,
  finishJob,
  insertJob,
  insertMissingJobs,
  ownsJob,
  PRIORITY,
  type Priority,
  releaseJob,
  renewLeases,
  requeueCrashed,
  requeueLost,
  setJobPercent,
  type StoredJob,
} from "@/server/core/jobs/jobs.ts";
import { StorageRest } from "@/server/core/jobs/storage_rest.ts";
import { withSpan, withTrace } from "@/server/core/database/trace.ts";
import { countMetric } from "@/server/wire/metrics.ts";

/** Interface with which a running job is aborted and reports progress. */
export interface JobRun {
  /** aborted when the job is cancelled or the process shuts down */
  signal: AbortSignal;
  /** reports progress, percent 0..100; stored at most once per second */
  progress(percent: number): void;
}

/**
 * Functions and limits of one kind of job.
 * Each function must allow another call with the same payload, after a crash.
 */
export interface JobKind {
  /** maximum number of parallel jobs of this kind; default: unlimited */
  atOnce?: number;
  /** kind of job with which this kind shares the limit `atOnce`; default: not shared */
  lane?: string;
  run(payload: unknown, run: JobRun): Promise<void>;
  /** Called before a job is retried, because the worker crashed or storage was unavailable. */
  retrying(payload: unknown): Promise<void>;
  /** Called when a job has failed and will not be retried. */
  failed(payload: unknown, error: AppError): Promise<void>;
}

const LEASE_MS = 30_000, POLL_MS = 2_000, WRITE_EVERY_MS = 1_000, END_AGAIN_MS = 5_000;
/** Number of lease renewals per lease duration. */
const HEARTBEATS_PER_LEASE = 3;
/** Maximum number of retries of a job after crashes of the engine's worker. */
const MAX_CRASHES = 1;
/** A job during which the server process ended this often fails, as it may be the cause. */
const MAX_INTERRUPTIONS = 25;

/**
 * Queues a job; pass a transaction to queue the job together with the rows that it needs.
 * The default priority is that of a job for which a user waits.
 */
export const enqueue = (
  db: Database,
  kind: string,
  payload: unknown,
  priority: Priority = PRIORITY.person,
): Promise<number> =>
  insertJob(db, { kind, payload, createdAt: new Date().toISOString(), priority });

/** Queues the jobs of a kind with keys that are not queued yet. @returns number of added jobs. */
export const enqueueMissing = (
  db: Database,
  kind: string,
  jobs: readonly { payload: unknown; key: string }[],
  priority: Priority,
): Promise<number> =>
  insertMissingJobs(db, kind, jobs, { createdAt: new Date().toISOString(), priority });

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });

interface RunnerOptions {
  workers: number;
  log: Log;
  /**
   * whether other processes run jobs of the same queue: then only expired leases are taken over
   */
  isShared?: boolean;
  /** sends other processes the request to {@link JobRunner.stop} a job */
  stopElsewhere?(id: number): void;
  /** duration of a job's lease, ms; default 30 s */
  leaseMs?: number;
  /** pause before the end of a job is written again after an error, ms */
  endAgainMs?: number;
  /** checks that files can be written, before the next job after one that failed to write */
  canStore?(): Promise<boolean>;
  /** first pause of the queue after a job failed to write to disk, ms */
  restMs?: number;
}

/** Runs queued jobs of all registered kinds, several in parallel. */
export class JobRunner {
  readonly #owner = crypto.randomUUID();
  readonly #running = new Map<
    number,
    { kind: string; abort: AbortController; done: Promise<void> }
  >();
  #timer: ReturnType<typeof setInterval> | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  #pumping: Promise<void> | null = null;
  #again = false;
  /** whether the server is shutting down, so that no more jobs are claimed */
  #isLeaving = false;
  readonly #rest: StorageRest;

  constructor(
    private readonly db: Database,
    private readonly kinds: Readonly<Record<string, JobKind>>,
    private readonly options: RunnerOptions,
  ) {
    this.#rest = new StorageRest(options.canStore, options.restMs);
  }

  /** Requeues jobs of server processes that have ended, then runs jobs until {@link close}. */
  async start(): Promise<void> {
    await this.#takeOver();
    this.#timer = setInterval(() => this.wake(), POLL_MS);
    this.#beat = setInterval(() => void this.#keep(), this.#leaseMs / HEARTBEATS_PER_LEASE);
    this.wake();
  }

  get #leaseMs(): number {
    return this.options.leaseMs ?? LEASE_MS;
  }

  /** Requeues jobs of a server process that has ended. */
  async #takeOver(): Promise<void> {
    const which = this.options.isShared ? { leaseMs: this.#leaseMs } : "all";
    const lost = await requeueLost(this.db, this.#owner, which);
    if (lost.length > 0) this.options.log("info", "Resuming jobs", { jobs: lost.length });
  }

  /** Looks for queued jobs now instead of at the next poll. */
  wake(): void {
    if (this.#isLeaving) return;
    if (this.#pumping) {
      this.#again = true;
      return;
    }
    this.#pumping = this.#pump().catch((error) =>
      this.options.log("error", "Cannot take jobs", { error: String(error) })
    ).finally(() => {
      this.#pumping = null;
      if (this.#again) {
        this.#again = false;
        this.wake();
      }
    });
  }

  /**
   * Cancels a queued or running job. `failed` of the kind is called with `job.canceled` before the
   * job is finished, so that no study waits for a job that will not run.
   * @returns false for a job that has already ended.
   */
  async cancel(id: number): Promise<boolean> {
    const error = new AppError("job.canceled", `Stop job ${id}: cancelled`);
    const stop = async () => {
      const running = this.#running.get(id);
      running?.abort.abort(error);
      await running?.done;
    };
    await stop();
    const job = await findJob(this.db, id);
    if (job?.status !== "queued" && job?.status !== "running") return false;
    await this.kinds[job.kind]?.failed(job.payload, error);
    const finishedAt = new Date().toISOString();
    const isCanceled = await finishJob(this.db, id, { status: "canceled", finishedAt });
    // stopped again: a process may have claimed the job since the first stop
    await stop();
    this.#rest.end(id, false);
    if (isCanceled) this.options.stopElsewhere?.(id);
    return isCanceled;
  }

  /** Aborts a job that another process has taken over, without writing its outcome. */
  stop(id: number): void {
    this.#running.get(id)?.abort.abort(new AppError("job.canceled", `Stop job ${id}: taken away`));
  }

  /** Stops claiming jobs, and waits for the running jobs to end. */
  async drain(): Promise<void> {
    this.#isLeaving = true;
    await this.#pumping;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Aborts running jobs and returns them to the queue, for the next start of a server. */
  async close(): Promise<void> {
    this.#isLeaving = true;
    clearInterval(this.#timer);
    clearInterval(this.#beat);
    await this.#pumping;
    const running = [...this.#running];
    for (const [id, { abort }] of running) {
      abort.abort(new AppError("job.canceled", `Stop job ${id}: leaving`));
    }
    await Promise.all(running.map(([, { done }]) => done));
    for (const [id] of running) await releaseJob(this.db, id, this.#owner);
  }

  /**
   * Renews leases of this process's jobs, and aborts jobs that other processes have taken over.
   * Takes over jobs of other processes if their lease has expired.
   */
  async #keep(): Promise<void> {
    try {
      const runningIds = [...this.#running.keys()];
      if (runningIds.length > 0) {
        const renewed = new Set(await renewLeases(this.db, this.#owner, this.#leaseMs));
        // `stop` has no effect on a job that has just ended, which has no lease either
        for (const id of runningIds) if (!renewed.has(id)) this.stop(id);
      }
      if (this.options.isShared) await this.#takeOver();
    } catch (error) {
      this.options.log("warn", "Cannot renew leases", { error: String(error) });
    }
  }

  /** Kinds of jobs of which the maximum number is running. */
  #fullKinds(): string[] {
    const running = [...this.#running.values()],
      laneOf = (name: string) => this.kinds[name]?.lane ?? name;
    return Object.entries(this.kinds).filter(([name, { atOnce = Infinity }]) =>
      running.filter((job) => laneOf(job.kind) === laneOf(name)).length >= atOnce
    ).map(([name]) => name);
  }

  async #pump(): Promise<void> {
    while (!this.#isLeaving && this.#running.size < this.options.workers) {
      if (!await this.#rest.mayGoOn()) return;
      const waiting = this.#rest.waiting();
      const job = await claimJob(this.db, this.#owner, this.#leaseMs, this.#fullKinds(), waiting);
      if (!job) return;
      const abort = new AbortController();
      const done = withTrace(job.trace, () => this.#run(job, abort.signal)).catch((error) =>
        this.options.log("error", "Cannot end job", { job: job.id, error: String(error) })
      ).finally(() => {
        this.#running.delete(job.id);
        this.wake();
      });
      this.#running.set(job.id, { kind: job.kind, abort, done });
    }
  }

  async #run(job: StoredJob, signal: AbortSignal): Promise<void> {
    const { db } = this, { log } = this.options, kind = this.kinds[job.kind];
    const isoNow = () => new Date().toISOString();
    log("info", "Job started", { job: job.id, kind: job.kind });
    let written = -Infinity;
    const progress = (percent: number) => {
      // monotonic time, which a correction of the clock does not change
      if (performance.now() - written < WRITE_EVERY_MS) return;
      written = performance.now();
      setJobPercent(db, job.id, percent).catch((error) =>
        log("warn", "Cannot write progress", { job: job.id, error: String(error) })
      );
    };
    try {
      if (!kind) throw new AppError("job.failed", `Cannot run job: kind ${job.kind} is not known`);
      if (job.interruptions > MAX_INTERRUPTIONS) {
        throw new AppError("engine.crashed", "Cannot run job: interrupted too often");
      }
      const span = { name: `job ${job.kind}`, attributes: { "sulcus.job": job.id } };
      await withSpan(span, () => kind.run(job.payload, { signal, progress }));
      await finishJob(db, job.id, { status: "done", finishedAt: isoNow(), owner: this.#owner });
      this.#rest.end(job.id, true);
      log("info", "Job done", { job: job.id });
      countMetric("sulcus_jobs_ended_total", { kind: job.kind, outcome: "done" });
    } catch (caught) {
      if (signal.aborted) return;
      const error = caught instanceof AppError
        ? caught
        : new AppError("internal", "Cannot complete the job", {}, { cause: caught });
      log("error", error.message, {
        job: job.id,
        code: error.code,
        cause: error.cause instanceof Error ? error.cause.stack ?? error.cause.message : undefined,
      });
      countMetric("sulcus_jobs_ended_total", { kind: job.kind, outcome: error.code });
      const isAway = isPassing(error);
      if (isAway) this.#rest.begin(job.id);
      else this.#rest.end(job.id, false);
      await this.#persistOutcome(job.id, signal, async () => {
        // not written if another process has taken over the job
        if (!await ownsJob(db, job.id, this.#owner)) return;
        if (isAway) {
          await kind?.retrying(job.payload);
          return await releaseJob(db, job.id, this.#owner);
        }
        if (error.code === "engine.crashed" && job.crashes < MAX_CRASHES) {
          await kind?.retrying(job.payload);
          await requeueCrashed(db, job.id);
          return;
        }
        await kind?.failed(job.payload, error);
        await finishJob(db, job.id, {
          status: "failed",
          finishedAt: isoNow(),
          errorCode: error.code,
          errorDetails: error.details,
        });
      });
    }
  }

  /**
   * Stores the outcome of a job, and retries until this succeeds:
   * with a full disk, the job would otherwise appear to run forever.
   */
  async #persistOutcome(
    id: number,
    signal: AbortSignal,
    write: () => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        return await write();
      } catch (error) {
        this.options.log("error", "Cannot end job", { job: id, error: String(error) });
        await pause(this.options.endAgainMs ?? END_AGAIN_MS, signal);
      }
    }
  }
}
