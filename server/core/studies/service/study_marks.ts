import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { sentStates } from "@/server/core/connections/storage/outbox.ts";
import { signedMarks } from "@/server/core/reports/service/signature/signed_marks.ts";
import {
  readMarks,
  type StudyMarks,
  writeReports,
  writeView,
} from "@/server/core/studies/storage/study_marks.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";

/** Data from which the marks of worklist rows are made. */
interface Marks extends StudyMarks {
  sent: Awaited<ReturnType<typeof sentStates>>;
  signed: Awaited<ReturnType<typeof signedMarks>>;
}

/** Reads the marks of studies for one user; queries run in parallel. */
export async function marksOf(
  { db }: ServiceContext,
  pids: readonly number[],
  { uid }: Caller,
): Promise<Marks> {
  const [sent, signed, marks] = await Promise.all([
    sentStates(db, pids),
    signedMarks(db, pids),
    readMarks(db, uid, pids),
  ]);
  return { sent, signed, ...marks };
}

/**
 * Adds marks to worklist rows: unread results, printed report, signed text, delivery.
 * A report counts as printed only if it contains the latest results.
 */
export const marked = (
  rows: readonly PatientRow[],
  { sent, signed, seenAt, reportedAt }: Marks,
): PatientRow[] =>
  rows.map((row) => {
    const results = [row.t1_analysis_date, row.t2_analysis_date].filter((date) => date !== null)
      .sort();
    const latest = results.at(-1), seen = seenAt.get(row.pid), reported = reportedAt.get(row.pid);
    const changedAt = [row.hospital_at, row.edited_at].filter((at) => at !== undefined).sort()
      .at(-1);
    return {
      ...row,
      is_unread: latest !== undefined && (seen === undefined || seen < latest),
      is_reported: reported !== undefined && (latest === undefined || reported >= latest),
      ...(reported !== undefined && changedAt !== undefined && reported < changedAt
        ? { is_report_outdated: true }
        : {}),
      ...(signed.has(row.pid) ? { signed: signed.get(row.pid) } : {}),
      ...(sent.has(row.pid) ? { sent: sent.get(row.pid) } : {}),
    };
  });

/** Adds their current marks to worklist rows, see {@link marked}. */
export const withMarks = async (
  services: ServiceContext,
  rows: readonly PatientRow[],
  caller: Caller,
): Promise<PatientRow[]> =>
  marked(rows, await marksOf(services, rows.map(({ pid }) => pid), caller));

/** Stores a mark. A failure, for example on a full disk, does not prevent access to the study. */
async function unlessFailed({ log }: ServiceContext, write: Promise<void>): Promise<void> {
  await write.catch((error) => log("error", "Cannot mark the study", { error: String(error) }));
}

/** Records that the caller has opened the results of a study. */
export const markSeen = (services: ServiceContext, pid: number, { uid }: Caller): Promise<void> =>
  unlessFailed(services, writeView(services.db, uid, pid, nowIso()));

/**
 * Records that reports of studies were printed or saved.
 * @param at Time up to which the report covers results; later results count as unreported.
 */
export const markReported = (
  services: ServiceContext,
  pids: readonly number[],
  at: string,
): Promise<void> => unlessFailed(services, writeReports(services.db, pids, at));
