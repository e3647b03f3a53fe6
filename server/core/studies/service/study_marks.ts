import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { sentStates } from "@/server/core/connections/storage/outbox.ts";
import { readMarks, writeReports, writeView } from "@/server/core/studies/storage/study_marks.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

/**
 * Rows with the caller's marks of new results, with the marks of a printed report of the latest results, and with their
 * delivery to other systems.
 */
export async function withMarks(
  { db }: ServiceContext,
  rows: readonly PatientRow[],
  { uid }: Caller,
): Promise<PatientRow[]> {
  const pids = rows.map(({ pid }) => pid);
  const [sent, { seenAt, reportedAt }] = await Promise.all([sentStates(db, pids), readMarks(db, uid, pids)]);
  return rows.map((row) => {
    const results = [row.t1_analysis_date, row.t2_analysis_date].filter((date) => date !== null).sort();
    const latest = results.at(-1), seen = seenAt.get(row.pid), reported = reportedAt.get(row.pid);
    return {
      ...row,
      is_unread: latest !== undefined && (seen === undefined || seen < latest),
      is_reported: reported !== undefined && (latest === undefined || reported >= latest),
      ...(sent.has(row.pid) ? { sent: sent.get(row.pid) } : {}),
    };
  });
}

/** A mark that cannot be written, for example on a full disk, does not keep the user from the study. */
async function unlessFailed({ log }: ServiceContext, write: Promise<void>): Promise<void> {
  await write.catch((error) => log("error", "Cannot mark the study", { error: String(error) }));
}

/** The caller has opened the results of a study. */
export const markSeen = (services: ServiceContext, pid: number, { uid }: Caller): Promise<void> =>
  unlessFailed(services, writeView(services.db, uid, pid, nowIso()));

/**
 * Reports of studies were printed or saved.
 * @param at Instant before which their results were there: of later ones there is no report yet.
 */
export const markReported = (services: ServiceContext, pids: readonly number[], at: string): Promise<void> =>
  unlessFailed(services, writeReports(services.db, pids, at));
