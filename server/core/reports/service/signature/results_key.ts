import { createHash } from "node:crypto";

/** Inputs of {@link resultsKey}. */
interface NamedResults {
  /** numbers of the completed analyses, T1w first */
  analyses: readonly number[];
  /** instants of the analyses, and of the last change of the norms */
  instants: readonly string[];
  birth: string | null;
  sex: string | null;
  date: string | null;
}

/** Names results: another analysis, correction, norms or person give another name. */
export const resultsKey = ({ analyses, instants, birth, sex, date }: NamedResults): string =>
  createHash("sha256").update(JSON.stringify([analyses, instants, birth, sex, date])).digest("hex")
    .slice(0, 32);

/** Whether results were changed, or judged by readers, after a text about these was signed. */
export const isOutdated = (
  signature: { results: string; created_at: string },
  { key, judgedAt }: { key: string; judgedAt: string | null },
): boolean => signature.results !== key || (judgedAt !== null && judgedAt > signature.created_at);
