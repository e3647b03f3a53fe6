// Assignment of cases, arms and order to the readers of a reading study.
import type { Random } from "@/model/random.ts";
import type { ReadingArm } from "@/model/schema/reading/reading_studies.ts";

/** One reading: a case, shown to a reader in one arm. */
export interface PlannedReading {
  /** position of the reading from 0, in the order of the reader */
  place: number;
  /** 0, or 1 for the second reading of a case */
  session: number;
  /** position in the list of cases, from 0 */
  caseIndex: number;
  arm: ReadingArm;
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const rest = [...values];
  for (let n = rest.length - 1; n > 0; n--) {
    const other = Math.floor(random.uniform() * (n + 1));
    [rest[n], rest[other]] = [rest[other]!, rest[n]!];
  }
  return rest;
}

/**
 * Cases that a reader first reads with results: half of the cases of each reference standard,
 * and half of all cases, each within one case.
 */
function firstWith(references: readonly (boolean | null)[], random: Random): Set<number> {
  const places = references.map((_, place) => place);
  const strata = [true, false, null].map((reference) =>
    shuffled(places.filter((place) => references[place] === reference), random)
  );
  const start = random.uniform() < 0.5 ? 0 : 1;
  return new Set(strata.flat().filter((_, n) => n % 2 === start));
}

/**
 * Plans of all readers. Every reader reads each case once in each arm, in a random order.
 * With two arms the first session contains every case once, about half with results, and the
 * second session every case in the other arm. Readers 2 and 1, 4 and 3, … have opposite arms,
 * so that half of the readers first read a case with results.
 *
 * @param references  Reference standard of each case; `null`: unknown.
 * @param readers     Number of readers.
 * @returns plans, shape [readers][readings]; the same seed gives the same plans.
 */
export function planReadings(
  references: readonly (boolean | null)[],
  readers: number,
  arms: readonly ReadingArm[],
  random: Random,
): PlannedReading[][] {
  const cases = references.map((_, caseIndex) => caseIndex);
  let withResults = new Set<number>();
  return Array.from({ length: readers }, (_, reader) => {
    withResults = reader % 2 === 0
      ? firstWith(references, random)
      : new Set(cases.filter((each) => !withResults.has(each)));
    const sessions = arms.map((onlyArm, session) =>
      shuffled(cases, random).map((caseIndex) => ({
        session,
        caseIndex,
        arm: arms.length === 1
          ? onlyArm
          : withResults.has(caseIndex) === (session === 0)
          ? "with" as const
          : "without" as const,
      }))
    );
    return sessions.flat().map((reading, place) => ({ place, ...reading }));
  });
}

const DAY_MS = 86_400_000;

/** When the second session may begin: days after the last answer of the first. */
export const washoutEnd = (lastAnswerAt: string, washoutDays: number): string =>
  new Date(Date.parse(lastAnswerAt) + washoutDays * DAY_MS).toISOString();
