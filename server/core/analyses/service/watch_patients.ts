import type { ServerEvent } from "@/model/schema/site/events.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { CatchUpTask } from "@/server/core/jobs/catch_up.ts";
import {
  type PatientSlice,
  patientSliceAfter,
} from "@/server/core/analyses/storage/patient_slices.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Functions with which a comparison (FLAIR or T1w) is kept up to date for all patients. */
interface Watched {
  /** name of the task for log messages: "Cannot …" */
  name: string;
  /**
   * Queues missing comparisons of a slice of patients with few statements. @returns number of jobs.
   */
  queueSlice(db: Database, slice: PatientSlice): Promise<number>;
  /** patient ID of a study, given the study's number (pid) */
  of(db: Database, pid: number): Promise<string[]>;
  /** studies of the patients with comparisons that a server event can change; often empty */
  concerned(event: ServerEvent): readonly number[];
  /** Queues missing comparisons of a patient. @returns whether a job was added. */
  queue(db: Database, patientId: string): Promise<boolean>;
}

/** Queues missing or outdated comparisons of all patients. */
interface PatientWatch {
  /** called once after the server's start: checks all patients, in slices */
  catchUp: CatchUpTask;
  /** handler that must be called for every server event */
  hear(event: ServerEvent): void;
  close(): Promise<void>;
}

/** Yields to the event loop, so that waiting requests are answered before the next step. */
const answerOthers = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

export function watchPatients(
  { db, log, wakeJobs }: ServiceContext,
  { name, queueSlice, of, concerned, queue }: Watched,
): PatientWatch {
  let isClosed = false, last = Promise.resolve();
  const waiting = new Set<number>();
  const warn = (error: unknown) => log("warn", "Cannot queue comparison", { error: String(error) });
  /** Checks each patient of the waiting studies once, even if several studies changed. */
  const lookAtWaiting = async () => {
    const pids = [...waiting], patientIds = new Set<string>();
    waiting.clear();
    for (const pid of pids) {
      if (isClosed) return;
      for (const patientId of await of(db, pid).catch((error) => (warn(error), []))) {
        patientIds.add(patientId);
      }
      await answerOthers();
    }
    for (const patientId of patientIds) {
      if (isClosed) return;
      if (await queue(db, patientId).catch((error) => (warn(error), false))) wakeJobs();
      await answerOthers();
    }
  };
  const run: CatchUpTask["run"] = async (pace) => {
    for (let lastPatientId = "";;) {
      const slice = await patientSliceAfter(db, lastPatientId);
      if (await queueSlice(db, slice) > 0) wakeJobs();
      if (slice.until === null) return;
      lastPatientId = slice.until;
      await pace.rest();
    }
  };
  return {
    catchUp: { name, run },
    hear: (event) => {
      const pids = concerned(event);
      if (pids.length === 0) return;
      if (waiting.size === 0) last = last.then(lookAtWaiting);
      for (const pid of pids) waiting.add(pid);
    },
    close: () => {
      isClosed = true;
      return last;
    },
  };
}
