// Patients of a simulated scanner, as its control charts see them.
import { CHARTED, type ChartedStudy, chartsOf } from "@/model/drift/charts.ts";
import { LOCAL_MEASURES, type MeasureName } from "@/model/norms/local_norms.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import type { Random } from "@/model/random.ts";
import { isInvertedKey } from "@/model/regions/measures.ts";

export interface PatientSettings {
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

/**
 * A study of a healthy or ill person.
 *
 * @param shift   Change of every measure by the scanner, z.
 * @param ageing  Further change of every measure: the error of the norms at the person's age, z.
 */
export function simulatedStudy(
  random: Random,
  { illShare, correlation, unreliable }: PatientSettings,
  shift = 0,
  ageing = 0,
): ChartedStudy {
  const common = Math.sqrt(correlation) * random.normal(), part = Math.sqrt(1 - correlation);
  // an illness makes a tenth to six tenths of the regions smaller
  const affected = random.uniform() < illShare ? 0.1 + 0.5 * random.uniform() : 0;
  const z = new Map<MeasureName, number>();
  for (const { key, name } of MEASURES) {
    const loss = random.uniform() < affected ? -2 + 1.2 * random.normal() : 0;
    const sign = isInvertedKey(key) ? -1 : 1;
    z.set(name, sign * (common + part * random.normal() + shift + ageing + loss));
  }
  return { isUnreliable: random.uniform() < unreliable, z };
}

/** Index of the first study at which any chart has moved; Infinity: none has. */
export function firstMove(studies: readonly ChartedStudy[]): { at: number; name: string } {
  const moves = chartsOf(studies).flatMap(({ name, studies: indices, movedAt }) =>
    movedAt === null ? [] : [{ at: indices[movedAt]!, name: String(name) }]
  );
  return moves.sort((a, b) => a.at - b.at)[0] ?? { at: Infinity, name: "" };
}
