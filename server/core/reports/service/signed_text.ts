import { createHash } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import type { Database } from "@/server/core/database/database.ts";
import { appliedNorms } from "@/server/core/norms/service/applied_norms.ts";
import { changeInstants } from "@/server/core/connections/service/changed_at.ts";
import { instantOf } from "@/server/core/reading/service/corrected.ts";
import {
  lastSignature,
  listSigned,
  type StoredText,
} from "@/server/core/reports/storage/report_text.ts";
import type { StoredPatient } from "@/server/core/studies/storage/patients.ts";
import { completedAnalyses, mustFindPatient } from "@/server/core/studies/service/patients.ts";

/** Results that a text is written about. */
interface CurrentResults {
  /** names them: another analysis, correction, norms or person give another name */
  key: string;
  /** instants of the results */
  instants: string[];
  /** last instant of a verdict or grade, which readers give under their own names; `null`: none */
  judgedAt: string | null;
}

/** @throws {AppError} `study.not_analyzed`. */
export async function currentResults(
  db: Database,
  patient: StoredPatient,
): Promise<CurrentResults> {
  const { row } = patient, { t1, t2 } = await completedAnalyses(db, patient);
  const analyses = [t1, t2].filter((analysis) => analysis !== null);
  if (analyses.length === 0) {
    throw new AppError("study.not_analyzed", `Cannot write about study ${row.pid}: not analysed`, {
      pid: row.pid,
    });
  }
  const { changedAt } = await appliedNorms(db, t1);
  const changes = await changeInstants(db, row.pid);
  const instants = [...analyses.map(instantOf), ...changedAt === null ? [] : [changedAt]];
  const { patient_birthdate: birth, patient_sex: sex, study_date: date } = row;
  const parts = [analyses.map(({ id }) => id), instants, birth, sex, date];
  const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
  const judged = (["verdicts", "grade"] as const).flatMap((cause) => changes.get(cause) ?? []);
  return {
    key,
    instants: [...instants, ...changes.values()],
    judgedAt: judged.sort().at(-1) ?? null,
  };
}

/**
 * The text of a last signature; `null` after a withdrawal. A verdict or grade that is entered after
 * the signature makes it outdated. It is not a part of the key: an author who grades in the page of
 * an open editor would be refused for that.
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
      is_outdated: last.results !== key || (judgedAt !== null && judgedAt > last.created_at),
    }
    : null;

/**
 * The signed text of a study, as every output prints it; `null` without one.
 * @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`.
 */
export async function signedTextOf(db: Database, pid: number): Promise<SignedText | null> {
  const last = await lastSignature(db, pid);
  if (last?.state !== "signed") return null;
  return signedOf(last, await currentResults(db, await mustFindPatient(db, pid)));
}

/** Those of several studies, by their numbers; most studies have none and cost nothing. */
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
