import type { ServerEvent } from "@/model/schema/site/events.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** What is kept of each patient as a comparison of the studies. */
interface Watched {
  /** patients to look at when the server starts */
  all(db: Database): Promise<string[]>;
  /** the patient of a study, by its number */
  of(db: Database, pid: number): Promise<string[]>;
  /** whether an event can change what is compared */
  concerns(event: ServerEvent): event is ServerEvent & { pid: number };
  /** Queues what is missing of a patient. @returns whether a job was added. */
  queue(db: Database, patientId: string): Promise<boolean>;
}

/** Looks after every patient whose comparison is missing or outdated: once at the start, then at every event. */
export function watchPatients(
  { db, log, wakeJobs }: ServiceContext,
  { all, of, concerns, queue }: Watched,
): { hear(event: ServerEvent): void; close(): Promise<void> } {
  let isClosed = false, last = Promise.resolve();
  const look = (find: () => Promise<string[]>) => {
    last = last.then(async () => {
      if (isClosed) return;
      let isAdded = false;
      for (const patientId of await find()) {
        if (await queue(db, patientId)) isAdded = true;
      }
      if (isAdded) wakeJobs();
    }).catch((error) => log("warn", "Cannot queue comparison", { error: String(error) }));
  };
  look(() => all(db));
  return {
    hear: (event) => {
      if (concerns(event)) look(() => of(db, event.pid));
    },
    close: () => {
      isClosed = true;
      return last;
    },
  };
}
