import { type Norm, normOf, normOfPair, type NormSubject, valueAt } from "@/model/norms/norms.ts";
import type { CurvePoint } from "@/model/schema/report/report.ts";

/** Correlation of left and right that {@link normOfPair} assumes: the factor 1.6 is 2 × 0.8. */
const SIDE_CORRELATION = 0.8;
/** z scores of the 5th, 25th, 75th and 95th percentile of a normal distribution. */
const Z95 = 1.6448536, Z75 = 0.6744898;

/** Mean and variance of the log-normal value 10^x, where x is normal. */
function logMoments(norm: Norm): { mean: number; mu: number; sigma: number } {
  const mu = norm.mean * Math.LN10, sigma = norm.sd * Math.LN10;
  return { mean: Math.exp(mu + sigma * sigma / 2), mu, sigma };
}

/**
 * Norm of left + right for regions with norms in log10 (the lateral ventricles): sum of two
 * correlated log-normal values, taken as log-normal with the same mean and variance.
 * @see Fenton 1960, doi:10.1109/TCOM.1960.1097606 (the sum).
 * Correlation of left and right 0.8, as for other paired regions.
 */
export function sumOfLogNorms(left: Norm, right: Norm): Norm {
  const l = logMoments(left), r = logMoments(right);
  const mean = l.mean + r.mean;
  const covariance = (a: typeof l, b: typeof l, rho: number) =>
    a.mean * b.mean * Math.expm1(rho * a.sigma * b.sigma);
  const variance = covariance(l, l, 1) + covariance(r, r, 1) +
    2 * covariance(l, r, SIDE_CORRELATION);
  const sigma2 = Math.log1p(variance / (mean * mean));
  return {
    mean: (Math.log(mean) - sigma2 / 2) / Math.LN10,
    sd: Math.sqrt(sigma2) / Math.LN10,
    isLog10: true,
  };
}

/** Norm of the whole volume of a part: one midline label, or left + right, in log10 or not. */
export function normOfTotal(labels: readonly number[], subject: NormSubject): Norm | null {
  const [left, right] = labels;
  if (left === undefined) return null;
  if (right === undefined) return normOf(left, "volume", subject);
  const l = normOf(left, "volume", subject), r = normOf(right, "volume", subject);
  if (l?.isLog10 && r?.isLog10) return sumOfLogNorms(l, r);
  return normOfPair(left, right, "volume", subject);
}

/**
 * Adjustment of the norm curves to a method and a site.
 * Volumes are multiplied by `factor`; z scores are shifted by `offset` and multiplied by `scale`.
 */
export interface CurvePlace {
  factor: number;
  offset: number;
  scale: number;
  /** imported norms of the total; the curve ends at the ages where these norms end */
  normOf?: (subject: NormSubject) => Norm | null;
}
const AS_PUBLISHED: CurvePlace = { factor: 1, offset: 0, scale: 1 };

/**
 * The 5th, 25th, 50th, 75th and 95th percentile over age, mL, one point a year.
 *
 * @param labels   [left, right] or [midline]; the curve is that of the total.
 * @param subject  Sex and ICV of the curve; the age is not used.
 * @param place adjustment from `percentile_rank.ts`, so that curve and percentiles agree.
 * @returns no points at ages without norms.
 */
export function curveOf(
  labels: readonly number[],
  subject: Omit<NormSubject, "age">,
  ages: { from: number; to: number },
  { factor, offset, scale, normOf: importedOf }: CurvePlace = AS_PUBLISHED,
): CurvePoint[] {
  const points: CurvePoint[] = [];
  for (let age = ages.from; age <= ages.to; age++) {
    const at = { ...subject, age };
    const norm = importedOf ? importedOf(at) : normOfTotal(labels, at);
    if (!norm) continue;
    const ml = (z: number) => factor * valueAt(z * scale + offset, norm) / 1000;
    points.push({ age, p5: ml(-Z95), p25: ml(-Z75), p50: ml(0), p75: ml(Z75), p95: ml(Z95) });
  }
  return points;
}
