// Demo patients: loaded by one button, marked by a study label, and deleted by another button.
import { AppError, asAppError, type ErrorCode } from "@/model/errors.ts";
import type { DeletionResponse } from "@/model/schema/studies/patients.ts";
import type { UploadResponse } from "@/model/schema/studies/upload.ts";
import { DEMO_LABEL, type DemoState } from "@/model/schema/site/demo.ts";
import { labelKey } from "@/model/schema/worklist/labels.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Caller, DemoPatient, ServiceContext } from "@/server/core/site/service/context.ts";
import { ingest } from "@/server/core/studies/service/ingest.ts";
import { deletePatients } from "@/server/core/studies/service/patients.ts";
import { addDemoPids, demoPids } from "@/server/core/site/service/demo_patients.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";

/** State of the last loading of demo patients, by site. */
const loads = new WeakMap<Database, {
  isRunning: boolean;
  /** number of patients loaded so far */
  made: number;
  /** error with which loading ended */
  failure: ErrorCode | null;
}>();

/** Whether the caller may load the demo patients, and the progress of loading. */
export async function getDemo(
  { db, demo }: ServiceContext,
  caller: Caller,
): Promise<DemoState> {
  const isAllowed = await checkMaintenance(db, caller).then(() => true, () => false);
  const load = loads.get(db), isLoading = load?.isRunning ?? false, pids = await demoPids(db);
  return {
    is_available: isAllowed && demo !== undefined,
    is_loading: isLoading,
    loaded: isLoading ? load!.made : pids.length,
    total: demo?.count ?? 0,
    pid_list: pids,
    failure: isLoading || pids.length >= (demo?.count ?? 0) ? null : load?.failure ?? null,
  };
}

/** Adds the study label for demo patients. */
async function mark(
  { db, publish }: ServiceContext,
  pids: readonly number[],
  uid: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.insertInto("labels").values({ label_name: DEMO_LABEL, name_key: labelKey(DEMO_LABEL) })
      .onConflict((conflict) => conflict.doNothing()).execute();
    const { id } = await tx.selectFrom("labels").select("id").where(
      "name_key",
      "=",
      labelKey(DEMO_LABEL),
    )
      .executeTakeFirstOrThrow();
    for (const pid of pids) {
      await tx.insertInto("patient_labels").values({ pid, label_id: id })
        .onConflict((conflict) => conflict.doNothing()).execute();
    }
    await addDemoPids(tx, pids);
  });
  publish({ event: "label_update", pid_list: [...pids], uid });
}

async function* filesOf({ files }: DemoPatient) {
  for (const { fileName, bytes } of files) {
    yield { fileName, body: new Blob([bytes]).stream() as AsyncIterable<Uint8Array> };
    // pending requests are handled between thousands of small files
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/**
 * Ignores the error that a study exists and is being analysed. @throws {unknown} other errors.
 */
function knownOnly(error: unknown): Pick<UploadResponse, "pid_list" | "failed"> {
  if (error instanceof AppError && error.code === "study.being_analyzed") {
    return { pid_list: [], failed: [] };
  }
  throw error;
}

/**
 * Starts loading the demo patients as if the caller uploaded them, with the same limits of licence,
 * credits and disk. Continues after the response; patients that exist are skipped. An error
 * that ends the loading is reported in the state.
 * @throws {AppError} `access.forbidden`, `entity.not_found` if the site offers no demo patients.
 */
export async function loadDemo(services: ServiceContext, caller: Caller): Promise<DemoState> {
  const { db, demo, log } = services;
  await checkMaintenance(db, caller);
  if (!demo) {
    throw new AppError(
      "entity.not_found",
      "Cannot load made-up patients: this site cannot make them",
    );
  }
  if (!loads.get(db)?.isRunning && (await demoPids(db)).length < demo.count) {
    const state = { isRunning: true, made: 0, failure: null as ErrorCode | null };
    loads.set(db, state);
    const load = async () => {
      for (let place = 0; place < demo.count; place++) {
        const files = filesOf(await demo.make(place));
        // no second opinion: the phantoms' random folds differ from the networks' training data
        const { pid_list, failed } = await ingest(services, caller, {
          files,
          seriesType: () => undefined,
          sizeBytes: 0,
          settings: { second_opinion: false },
        }).catch(knownOnly);
        await mark(services, pid_list, caller.uid);
        const failure = failed.find(({ code }) =>
          code === "credit.none" || code === "storage.full"
        );
        if (failure) throw new AppError(failure.code as ErrorCode, "Cannot load a made-up patient");
        state.made = place + 1;
      }
    };
    void load()
      .catch((error) => {
        state.failure = asAppError(error).code;
        log("warn", "Cannot load a made-up patient", { error: String(error) });
      })
      .finally(() => state.isRunning = false);
  }
  return await getDemo(services, caller);
}

/** Deletes the demo patients; a patient in analysis is deleted when the analysis has ended. */
export async function removeDemo(
  services: ServiceContext,
  caller: Caller,
): Promise<DeletionResponse> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const load = loads.get(db);
  if (load) load.failure = null;
  const pids = await demoPids(db);
  const answer = await deletePatients(services, pids, caller, { edited: pids });
  const { id } =
    await db.selectFrom("labels").select("id").where("name_key", "=", labelKey(DEMO_LABEL))
      .executeTakeFirst() ?? { id: null };
  const isUsed = id !== null &&
    await db.selectFrom("patient_labels").select("pid").where("label_id", "=", id)
      .executeTakeFirst();
  if (id !== null && !isUsed) {
    await db.deleteFrom("labels").where("id", "=", id).execute();
    services.publish({ event: "label_update", pid_list: [], uid: caller.uid });
  }
  return answer;
}
