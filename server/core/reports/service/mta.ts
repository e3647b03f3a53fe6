import * as z from "zod/mini";
import { mtaGrade, type MtaPut } from "@/model/schema/report/report.ts";
import { isoInstant } from "@/model/schema/studies/study.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  readSettings,
  studyScope,
  writeSettings,
} from "@/server/core/settings/storage/settings.ts";
import { findUser } from "@/server/core/accounts/storage/users.ts";
import { queueChange } from "@/server/core/connections/service/result_queue.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { mustFindPatient } from "@/server/core/studies/service/patients.ts";

const stored = z.object({
  left: mtaGrade,
  right: mtaGrade,
  entered_by: z.string(),
  entered_at: isoInstant,
});
type StoredMta = z.infer<typeof stored>;

const KEY = "mta";

/** MTA grades (medial temporal atrophy) that a physician entered; `null` without grades. */
export async function readMta(db: Database, pid: number): Promise<StoredMta | null> {
  const read = stored.safeParse((await readSettings(db, studyScope(pid)))[KEY]);
  return read.success ? read.data : null;
}

/**
 * Stores MTA grades that the caller read from the images of a study.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function saveMta(
  { db, publish }: ServiceContext,
  pid: number,
  { left, right }: MtaPut,
  caller: Caller,
): Promise<StoredMta> {
  const user = await findUser(db, caller.uid);
  const mta = { left, right, entered_by: user?.name || user?.email || "", entered_at: nowIso() };
  const { isChanged, isQueued } = await db.transaction().execute(async (tx) => {
    await mustFindPatient(tx, pid);
    const earlier = await readMta(tx, pid);
    await writeSettings(tx, studyScope(pid), { [KEY]: mta });
    // entering the same grades again does not count as a change of results
    const isChanged = earlier?.left !== left || earlier.right !== right;
    return { isChanged, isQueued: isChanged && await queueChange(tx, pid, "grade") };
  });
  if (isChanged) publish({ event: "study_reading", pid, uid: caller.uid });
  if (isQueued) publish({ event: "study_sent", pid });
  return mta;
}
