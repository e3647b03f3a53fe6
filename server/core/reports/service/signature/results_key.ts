import { createHash } from "node:crypto";

/** Values from which {@link resultsKey} is computed. */
interface NamedResults {
  /** numbers of the completed analyses, T1w before FLAIR */
  analyses: readonly number[];
  /** instants at which each analysis ended or was corrected, and the norms last changed */
  instants: readonly string[];
  birth: string | null;
  sex: string | null;
  date: string | null;
}

/** Text that identifies results: changes with an analysis, a correction, norms or the patient. */
export const resultsKey = ({ analyses, instants, birth, sex, date }: NamedResults): string =>
  createHash("sha256").update(JSON.stringify([analyses, instants, birth, sex, date])).digest("hex")
    .slice(0, 32);

/** Whether results were changed, or graded by readers, after the text about them was signed. */
export const isOutdated = (
  signature: { results: string; created_at: string },
  { key, judgedAt }: { key: string; judgedAt: string | null },
): boolean => signature.results !== key || (judgedAt !== null && judgedAt > signature.created_at);
