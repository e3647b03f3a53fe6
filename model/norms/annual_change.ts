import type { ChangeLimits } from "@/model/norms/change_limits.ts";
import { hasPercentile, REGIONS } from "@/model/regions/regions.ts";

/** Annual change of one measure over a patient's visits. */
interface AnnualChange {
  /** percent per year; `null` if visits are too close together or the change is within error */
  percent: number | null;
  /** whether the visits are far enough apart, but the change is below the measurement error */
  isWithinError: boolean;
}

/** Minimum time between first and last visit for an annual change, years. */
export const MIN_YEARS = 0.5;

const DAYS_PER_YEAR = 365.25, MS_PER_DAY = 86_400_000;

/** Years from one date to another, both YYYY-MM-DD. */
export const yearsBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / MS_PER_DAY / DAYS_PER_YEAR;

/**
 * Smallest change over the whole period that is reported, percent of the mean: for brain,
 * hippocampus and ventricles twice the SD of repeated scans; for single regions, which vary, more.
 */
const SMALLEST = { brain: 1, hippocampus: 2, ventricles: 3, thickness: 2, region: 5 };

const VENTRICLES = new Set([15, 16, 17, 18, 25, 26]), HIPPOCAMPI = new Set([19, 20]);

/** Aggregates that are tracked in addition to the single regions. */
const SUMS: Record<string, (label: number) => boolean> = {
  // brain as on the Main Page: without ventricles and fluid
  brain: (label) => !VENTRICLES.has(label) && label !== 27,
  cortex: (label) => label >= 37,
  white_matter: (label) => label === 1 || label === 2 || label === 28,
  lateral_ventricles: (label) => label === 15 || label === 16,
  hippocampus: (label) => HIPPOCAMPI.has(label),
};

const labelOf = new Map(REGIONS.map(({ name, label }) => [name, label]));

/** Smallest reported change of a measure, percent, for a site without repeated scans. */
function smallestOf(key: string): number {
  if (key === "brain" || key === "cortex" || key === "white_matter") return SMALLEST.brain;
  if (key === "hippocampus") return SMALLEST.hippocampus;
  if (key === "lateral_ventricles") return SMALLEST.ventricles;
  if (key === "thickness") return SMALLEST.thickness;
  const label = labelOf.get(key) ?? 0;
  if (HIPPOCAMPI.has(label)) return SMALLEST.hippocampus;
  return label === 15 || label === 16 ? SMALLEST.ventricles : SMALLEST.region;
}

/**
 * All tracked values of one visit: aggregates and regions in mL, mean cortical thickness in mm.
 *
 * @param volumesMm3  Volumes by label, length 105.
 * @param sideMm      Mean thickness [left, right]; 0 if not measured.
 */
export function trackedValues(
  volumesMm3: readonly number[],
  sideMm: readonly [number, number],
): Record<string, number> {
  const round = (value: number) => Math.round(value * 1000) / 1000;
  const values: Record<string, number> = {};
  for (const [key, belongs] of Object.entries(SUMS)) {
    const sum = volumesMm3.reduce(
      (sum, mm3, label) => label > 0 && belongs(label) ? sum + mm3 : sum,
      0,
    );
    values[key] = round(sum / 1000);
  }
  if (sideMm[0] > 0 && sideMm[1] > 0) values.thickness = round((sideMm[0] + sideMm[1]) / 2);
  for (const { label, name } of REGIONS) {
    if (hasPercentile(label)) values[name] = round(volumesMm3[label]! / 1000);
  }
  return values;
}

/**
 * Change in percent a year: least-squares slope over all visits, relative to the mean.
 *
 * @param years   years since an arbitrary date, ascending
 * @param values  values of the same visits
 * @param key     measure, a key of {@link trackedValues}
 * @param limits  Change limits from the site's repeated scans; absent: default limits.
 */
export function annualChange(
  key: string,
  years: readonly number[],
  values: readonly number[],
  limits?: ChangeLimits | null,
): AnnualChange {
  const none = { percent: null, isWithinError: false };
  const n = years.length, span = n > 0 ? years.at(-1)! - years[0]! : 0;
  if (n < 2 || span < MIN_YEARS) return none;
  const mean = (list: readonly number[]) => list.reduce((sum, v) => sum + v, 0) / n;
  const t = mean(years), level = mean(values);
  if (!(level > 0)) return none;
  const slope = years.reduce((sum, year, i) => sum + (year - t) * (values[i]! - level), 0) /
    years.reduce((sum, year) => sum + (year - t) ** 2, 0);
  const percent = 100 * slope / level;
  if (Math.abs(percent * span) < (limits?.percent[key] ?? smallestOf(key))) {
    return { percent: null, isWithinError: true };
  }
  return { percent: Math.round(percent * 100) / 100, isWithinError: false };
}
