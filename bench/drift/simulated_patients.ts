// Simulated patients of a scanner, as input of its control charts.
import { CHARTED, type ChartedStudy, chartsOf } from "@/model/drift/charts.ts";
import { LOCAL_MEASURES, type MeasureName } from "@/model/norms/local_norms.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import type { Random } from "@/model/random.ts";
import { isInvertedKey } from "@/model/regions/measures.ts";

export interface PatientSettings {
  /** share of ill patients at {@link USUAL_AGE} */
  illShare: number;
  /** correlation of the residuals of two regions of a healthy person */
  correlation: number;
  /** share of unreliable results */
  unreliable: number;
}

const MEASURES = LOCAL_MEASURES.filter(({ measure, key, name }) =>
  CHARTED.includes(name) ||
  (measure === "volume" && /^\d+$/.test(key) && methodErrorOf(key, measure) !== null)
);

/** Mean age at a site with a constant age of its patients, and the SD of age within a site. */
export const USUAL_AGE = 60;
const AGE_SD = 15, YOUNGEST = 18, OLDEST = 95;
/** Default increase of the share of ill patients per year of age. */
const ILL_PER_YEAR = 0.01;

/** Conditions under which one study is simulated. */
export interface Circumstances {
  /** change of every measure caused by the scanner, z */
  shift?: number;
  /** mean age of the site's patients at the time of the study, years */
  meanAge?: number;
  /** error of the norms at an age, z: shifts every measure, but is not caused by the scanner */
  normError?: (age: number) => number;
  /** increase of the share of ill patients per year of age */
  illPerYear?: number;
}

/**
 * A study of a healthy or ill person; older people are ill more often.
 * Always uses equally many random numbers: equal seeds give equal patients at any age and scanner.
 */
export function simulatedStudy(
  random: Random,
  { illShare, correlation, unreliable }: PatientSettings,
  { shift = 0, meanAge = USUAL_AGE, normError = () => 0, illPerYear = ILL_PER_YEAR }:
    Circumstances = {},
): ChartedStudy {
  const age = Math.max(YOUNGEST, Math.min(OLDEST, Math.round(meanAge + AGE_SD * random.normal())));
  const common = Math.sqrt(correlation) * random.normal(), part = Math.sqrt(1 - correlation);
  const illAtAge = illShare + illPerYear * (age - USUAL_AGE);
  // an illness shrinks 10 to 60 % of the regions; drawn for the healthy too, to keep the sequence
  const illness = random.uniform(), extent = 0.1 + 0.5 * random.uniform();
  const affected = illness < illAtAge ? extent : 0;
  const z = new Map<MeasureName, number>(), change = shift + normError(age);
  for (const { key, name } of MEASURES) {
    const isLost = random.uniform() < affected, lost = -2 + 1.2 * random.normal();
    const loss = isLost ? lost : 0;
    const sign = isInvertedKey(key) ? -1 : 1;
    z.set(name, sign * (common + part * random.normal() + change + loss));
  }
  return { isUnreliable: random.uniform() < unreliable, age, z };
}

/** Index of the first study after which any chart signals a change; Infinity: no chart does. */
export function firstMove(studies: readonly ChartedStudy[]): { at: number; name: string } {
  const moves = chartsOf(studies).flatMap(({ name, studies: indices, movedAt }) =>
    movedAt === null ? [] : [{ at: indices[movedAt]!, name: String(name) }]
  );
  return moves.sort((a, b) => a.at - b.at)[0] ?? { at: Infinity, name: "" };
}
