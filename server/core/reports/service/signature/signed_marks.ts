import type { SignedState } from "@/model/schema/studies/patients.ts";
import type { Database } from "@/server/core/database/database.ts";
import { readNormChanges } from "@/server/core/norms/service/applied_norms.ts";
import { instantOf } from "@/server/core/reading/service/corrected.ts";
import { isOutdated, resultsKey } from "@/server/core/reports/service/signature/results_key.ts";
import { lastSignatures } from "@/server/core/reports/storage/report_text.ts";
import {
  type NamedAnalysis,
  type NamedStudy,
  readNamedStudies,
} from "@/server/core/reports/storage/signed_results.ts";

/** Instant of an analysis as {@link instantOf} computes it; a damaged note counts as none. */
function instantOfColumns({ noted, finishedAt, correctedAt }: NamedAnalysis): string {
  let results = null;
  try {
    results = noted === null ? null : JSON.parse(noted);
  } catch { /* the study's own page names the damage */ }
  return instantOf({ finishedAt, correctedAt, results, flair: null });
}

/**
 * Which of the studies have a signed text, and whether their results have changed since.
 * The marks in the worklist must agree with the reports; a running analysis counts as a change.
 * Takes one query if no study is signed, otherwise three or four.
 */
export async function signedMarks(
  db: Database,
  pids: readonly number[],
): Promise<Map<number, SignedState>> {
  const signed = (await lastSignatures(db, pids)).filter(({ state }) => state === "signed");
  if (signed.length === 0) return new Map();
  const studies = await readNamedStudies(db, signed.map(({ pid }) => pid));
  const t1Of = ({ analyses }: NamedStudy) => analyses.find(({ kind }) => kind === "t1") ?? null;
  const normsChangedAt = await readNormChanges(
    db,
    [...studies.values()].flatMap((study) => t1Of(study) ?? []),
  );
  return new Map(signed.map((signature): [number, SignedState] => {
    const study = studies.get(signature.pid);
    if (!study || study.analyses.length === 0) return [signature.pid, "outdated"];
    const { analyses, birth, sex, date, judgedAt } = study;
    const changedAt = normsChangedAt(t1Of(study));
    const key = resultsKey({
      analyses: analyses.map(({ id }) => id),
      instants: [...analyses.map(instantOfColumns), ...changedAt === null ? [] : [changedAt]],
      birth,
      sex,
      date,
    });
    return [signature.pid, isOutdated(signature, { key, judgedAt }) ? "outdated" : "signed"];
  }));
}
