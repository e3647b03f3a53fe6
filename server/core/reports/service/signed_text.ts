import { AppError } from "@/model/errors.ts";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import type { Database } from "@/server/core/database/database.ts";
import { appliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { changeInstants } from "@/server/core/connections/service/changed_at.ts";
import { instantOf } from "@/server/core/reading/service/corrected.ts";
import { isOutdated, resultsKey } from "@/server/core/reports/service/signature/results_key.ts";
import {
  lastSignature,
  listSigned,
  type StoredText,
} from "@/server/core/reports/storage/report_text.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { completedAnalyses, mustFindPatient } from "@/server/core/studies/service/patients.ts";

/** State of a study's results, to which a signed text refers. */
interface CurrentResults {
  /** key that changes with an analysis, a correction, the norms or the patient's data */
  key: string;
  /** instants at which the results were made or changed */
  instants: string[];
  /** time of the last lesion verdict or MTA grade entered by a reader; `null` if there is none */
  judgedAt: string | null;
}

/** Reads the state of a study's results. @throws {AppError} `study.not_analyzed`. */
export async function currentResults(
  db: Database,
  patient: StoredPatient,
): Promise<CurrentResults> {
  const { row } = patient, { t1, t2 } = await completedAnalyses(db, patient);
  const analyses = [t1, t2].filter((analysis) => analysis !== null);
  if (analyses.length === 0) {
    throw new AppError("study.not_analyzed", `Cannot write about study ${row.pid}: not analyzed`, {
      pid: row.pid,
    });
  }
  const { changedAt } = await appliedNorms(db, t1);
  const changes = await changeInstants(db, row.pid);
  const instants = [...analyses.map(instantOf), ...changedAt === null ? [] : [changedAt]];
  const { patient_birthdate: birth, patient_sex: sex, study_date: date } = row;
  const key = resultsKey({ analyses: analyses.map(({ id }) => id), instants, birth, sex, date });
  const judged = (["verdicts", "grade"] as const).flatMap((cause) => changes.get(cause) ?? []);
  return {
    key,
    instants: [...instants, ...changes.values()],
    judgedAt: judged.sort().at(-1) ?? null,
  };
}

/**
 * The text that was signed last; `null` after a withdrawal.
 * A lesion verdict or MTA grade entered later makes the signature outdated.
 * Verdicts and grades are not in the key, so that an author may enter grades before signing.
 */
export const signedOf = (
  last: StoredText | null,
  { key, judgedAt }: Pick<CurrentResults, "key" | "judgedAt">,
): SignedText | null =>
  last?.state === "signed"
    ? {
      text: last.text,
      language: last.language,
      author: last.author,
      signed_at: last.created_at,
      is_outdated: isOutdated(last, { key, judgedAt }),
    }
    : null;

/**
 * Signed text of a study, as printed in reports and sent in messages; `null` without one.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
export async function signedTextOf(db: Database, pid: number): Promise<SignedText | null> {
  const last = await lastSignature(db, pid);
  if (last?.state !== "signed") return null;
  return signedOf(last, await currentResults(db, await mustFindPatient(db, pid)));
}

/** Signed texts of several studies, by study number; fast if few studies have one. */
export async function signedTextsOf(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, SignedText>> {
  const signed = new Map<number, SignedText>();
  for (const pid of await listSigned(db, pids)) {
    const text = await signedTextOf(db, pid);
    if (text) signed.set(pid, text);
  }
  return signed;
}
