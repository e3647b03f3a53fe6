// Routine studies of simulated scanners, with biases according to the project's error table.
import { histogramOf, type Residual } from "@/model/norms/indirect/histogram.ts";
import {
  type HealthyPart,
  indirectNorm,
  type Refusal,
} from "@/model/norms/indirect/indirect_norm.ts";
import { Random } from "@/model/random.ts";
import { priorOf } from "@/model/norms/indirect/prior.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { LOCAL_MEASURES } from "@/model/norms/local_norms.ts";
import { type Measure, normalCdf, type NormSubject, valueAt } from "@/model/norms/norms.ts";
import { measuredZ, PLAIN_METHOD, rankOf } from "@/model/norms/percentile_rank.ts";
import { isDetermined } from "@/model/norms/rank_format.ts";
import { isInvertedKey, type MeasureKey, normOfMeasure } from "@/model/regions/measures.ts";

/** Distribution of ill patients: mean distance from the healthy, and SD, z. */
export interface Illness {
  mean: number;
  sd: number;
}
/** Distribution of ill patients that the product assumes. */
export const USUAL_ILLNESS: Illness = { mean: 2, sd: 1.2 };

export interface SiteSettings {
  studies: number;
  illShare: number;
  illness: Illness;
  scanners: number;
  /** number of healthy people to whom the norms of each scanner are applied */
  readers: number;
  seed: number;
  /** simulates only every n-th measure; absent: all */
  every?: number;
}

/** Results over all measures, scanners and people. */
export interface SiteFigures {
  /** mean error of printed percentiles, points, without and with the site's norm */
  errorWithout: number;
  errorWith: number;
  /** mean error without the norm, for the percentiles that are printed with it */
  errorWithoutSame: number;
  /** number of percentiles precise enough to be printed, without and with the norm */
  printedWithout: number;
  printedWith: number;
  /** number of proposed norms with the scanner's true offset in their 90 % interval */
  held: number;
  scaleHeld: number;
  proposed: number;
  refused: Partial<Record<Refusal, number>>;
  people: number;
}

/** Measures with percentile bands, whether or not the site has a norm of its own. */
export const SIMULATED = LOCAL_MEASURES.filter(({ measure, key }) =>
  measure === "volume" && key !== "icv" && methodErrorOf(key, measure) !== null
);

/** A random adult with the mean ICV. */
function person(random: Random): NormSubject {
  const sex = random.uniform() < 0.5 ? "female" as const : "male" as const;
  return { age: 20 + 70 * random.uniform(), sex, icvMl: sex === "female" ? 1409 : 1596 };
}

/** Bias of a site's scanner for one measure, as ln of the ratio to the true value. */
interface Scanner {
  measure: Measure;
  key: MeasureKey;
  bias: number;
  randomSd: number;
}

const measuredValue = (scanner: Scanner, z: number, subject: NormSubject, random: Random) =>
  valueAt(z, normOfMeasure(scanner.key, scanner.measure, subject)!) *
  Math.exp(scanner.bias + scanner.randomSd * random.normal());

/** Residuals of routine studies of one scanner and measure. */
export function routineResiduals(
  scanner: Scanner,
  { studies, illShare, illness }: SiteSettings,
  random: Random,
): Residual[] {
  const direction = isInvertedKey(scanner.key) ? 1 : -1;
  return Array.from({ length: studies }, () => {
    const subject = person(random), isIll = random.uniform() < illShare;
    const z = random.normal() * (isIll ? illness.sd : 1) + (isIll ? direction * illness.mean : 0);
    const value = measuredValue(scanner, z, subject, random);
    return { age: subject.age, z: measuredZ(scanner.measure, scanner.key, value, subject)!.z };
  });
}

/** Runs the simulation. The true offset is the mean residual of a large healthy sample. */
export function simulateSite(settings: SiteSettings): SiteFigures {
  const random = new Random(settings.seed);
  const sums = { without: 0, with: 0, same: 0 };
  const figures: SiteFigures = {
    errorWithout: 0,
    errorWith: 0,
    errorWithoutSame: 0,
    printedWithout: 0,
    printedWith: 0,
    held: 0,
    scaleHeld: 0,
    proposed: 0,
    refused: {},
    people: 0,
  };
  for (const { measure, key } of SIMULATED.filter((_, i) => i % (settings.every ?? 1) === 0)) {
    const error = methodErrorOf(key, measure)!;
    for (let n = 0; n < settings.scanners; n++) {
      const scanner: Scanner = {
        measure,
        key,
        bias: error.bias + error.biasSd * random.normal(),
        randomSd: error.randomSd,
      };
      const prior = priorOf(measure, key, false)!;
      const fit = indirectNorm(
        histogramOf(routineResiduals(scanner, settings, random)),
        prior,
      );
      if (fit.refusal) figures.refused[fit.refusal] = (figures.refused[fit.refusal] ?? 0) + 1;
      else count(scanner, fit.part, random, figures);
      const localNorms = fit.refusal
        ? null
        : () => ({ ...fit.part, bias: error.bias, isIndirect: true as const });
      const method = { ...PLAIN_METHOD, localNorms };
      for (let reader = 0; reader < settings.readers; reader++) {
        const z = random.normal(), subject = person(random), truth = 100 * normalCdf(z);
        const value = measuredValue(scanner, z, subject, random);
        const reading = { limits: [], isInverted: false };
        figures.people++;
        const plain = rankOf(measure, key, value, subject, reading)!;
        const local = rankOf(measure, key, value, subject, reading, method)!;
        if (plain.has_bands && isDetermined(plain)) {
          sums.without += Math.abs(plain.percentile - truth);
          figures.printedWithout++;
        }
        if (local.has_bands && isDetermined(local)) {
          sums.with += Math.abs(local.percentile - truth);
          sums.same += Math.abs(plain.percentile - truth);
          figures.printedWith++;
        }
      }
    }
  }
  figures.errorWithout = sums.without / figures.printedWithout;
  figures.errorWith = sums.with / figures.printedWith;
  figures.errorWithoutSame = sums.same / figures.printedWith;
  return figures;
}

/** Whether the intervals contain the offset and scale of a very large healthy sample. */
function count(scanner: Scanner, part: HealthyPart, random: Random, figures: SiteFigures): void {
  const healthy: SiteSettings = {
    studies: 1500,
    illShare: 0,
    illness: USUAL_ILLNESS,
    scanners: 1,
    readers: 0,
    seed: 0,
  };
  const z = routineResiduals(scanner, healthy, random).map((residual) => residual.z);
  const mean = z.reduce((sum, value) => sum + value, 0) / z.length;
  const sd = Math.sqrt(z.reduce((sum, value) => sum + (value - mean) ** 2, 0) / z.length);
  figures.proposed++;
  if (mean >= part.offsetLow && mean <= part.offsetHigh) figures.held++;
  if (sd >= part.scaleLow && sd <= part.scaleHigh) figures.scaleHeld++;
}
