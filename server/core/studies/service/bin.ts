// A deleted study stays in the bin for some days, because wards sometimes delete by mistake.
import { announceMatch, matchStudies } from "@/server/core/studies/service/orders/match_orders.ts";
import { followMerges } from "@/server/core/connections/service/hl7/follow_merges.ts";
import { AppError } from "@/model/errors.ts";
import { mayDo } from "@/model/accounts/roles.ts";
import type { BinList } from "@/model/schema/studies/bin.ts";
import {
  binnedBefore,
  deleteBinned,
  findBinned,
  findBinnedRecord,
  listBinned,
  restoreBinned,
} from "@/server/core/studies/storage/bin.ts";
import { forgetStudy } from "@/server/core/exports/service/forgotten_persons.ts";
import { deleteIfUnused } from "@/server/core/blobs/blob_index.ts";
import { listUsers } from "@/server/core/accounts/storage/users.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

/** Default number of days that a deleted study stays in the bin. */
export const BIN_DAYS = 30;
const DAY_MS = 86_400_000, MAX_LISTED = 500;

export const binDaysOf = ({ binDays }: Pick<ServiceContext, "binDays">): number =>
  binDays ?? BIN_DAYS;

/** Studies that the caller may restore from the bin: own deletions; administrators all. */
export async function listBin(services: ServiceContext, caller: Caller): Promise<BinList> {
  const { db } = services, seesAll = mayDo(caller.role, "purge"), days = binDaysOf(services);
  const { studies, total } = await listBinned(db, seesAll ? null : caller.uid, MAX_LISTED);
  const names = new Map((await listUsers(db)).map(({ id, email, name }) => [id, name ?? email]));
  return {
    studies: studies.map((study) => ({
      pid: study.pid,
      patient_id: study.patientId,
      patient_name: study.patientName,
      study_date: study.studyDate,
      deleted_at: study.deletedAt,
      deleted_by: study.deletedBy === null ? null : names.get(study.deletedBy) ?? null,
      reason: study.reason,
      gone_at: new Date(Date.parse(study.deletedAt) + days * DAY_MS).toISOString(),
    })),
    total,
    days,
  };
}

const notThere = (pid: number) =>
  new AppError("entity.not_found", `Cannot find study ${pid} in the bin: it is not there`, { pid });

/**
 * Restores a study from the bin, with all its results and marks.
 * @throws {AppError} `entity.not_found`; `access.forbidden` if another user deleted the study;
 * `study.not_restorable` if the same study was uploaded again.
 */
export async function restoreStudy(
  services: ServiceContext,
  pid: number,
  caller: Caller,
): Promise<void> {
  const { db, publish, log } = services;
  const match = await db.transaction().execute(async (tx) => {
    const study = await findBinned(tx, pid);
    if (study === null) throw notThere(pid);
    if (study.deletedBy !== caller.uid && !mayDo(caller.role, "purge")) {
      throw new AppError("access.forbidden", `Cannot restore study ${pid}: another has deleted it`);
    }
    if (await restoreBinned(tx, pid)) {
      await followMerges(tx, pid);
      return await matchStudies(tx, [pid]);
    }
    throw new AppError(
      "study.not_restorable",
      `Cannot restore study ${pid}: it was uploaded again`,
      { pid },
    );
  });
  publish({ event: "study_create", pid_list: [pid] });
  announceMatch(publish, match);
  log("info", "Restored study", { pid, uid: caller.uid });
}

/** Deletes a study in the bin permanently. @throws {AppError} `entity.not_found`. */
export async function purgeStudy({ db, blobs, log }: ServiceContext, pid: number): Promise<void> {
  const unused = await db.transaction().execute(async (tx) => {
    const record = await findBinnedRecord(tx, pid), freedBlobs = await deleteBinned(tx, pid);
    if (record === null || freedBlobs === null) throw notThere(pid);
    await forgetStudy(tx, record);
    return await deleteIfUnused(tx, freedBlobs);
  });
  // files that remain after a crash at this point are deleted by a sweep at the next start
  for (const hash of unused) blobs.remove(hash);
  log("info", "Deleted study for good", { pid, blobs: unused.length });
}

/** Permanently deletes studies that were in the bin long enough. @returns number of studies. */
export async function purgeBin(services: ServiceContext, nowMs = Date.now()): Promise<number> {
  const oldestKept = new Date(nowMs - binDaysOf(services) * DAY_MS).toISOString();
  let purged = 0;
  for (const pid of await binnedBefore(services.db, oldestKept)) {
    try {
      await purgeStudy(services, pid);
      purged++;
    } catch (error) {
      // another server process deleted the study first
      if (!(error instanceof AppError && error.code === "entity.not_found")) throw error;
    }
  }
  return purged;
}
