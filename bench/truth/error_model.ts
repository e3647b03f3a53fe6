import { LOBES, normOfMeasure, THICKNESS_KEYS, VOLUME_KEYS } from "@/model/regions/measures.ts";
import { ICV_MEAN_ML } from "@/model/norms/norms.ts";
import { areBandsUseful } from "@/model/norms/percentile_rank.ts";
import { isCortex, regionOf } from "@/model/regions/regions.ts";
import { mean, median } from "@/bench/engine/score.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import {
  byScanner,
  bySite,
  type Evidence,
  evidenceOf,
  type Group,
  groupsOf,
  logRatio,
  OFFSET_MM,
  siteOf,
  thicknessGroups,
} from "@/bench/truth/evidence.ts";
import { farSite } from "@/bench/truth/far_site.ts";

/** Error of a measure; see `model/norms/method_error.ts`. */
export interface ErrorRow {
  bias: number;
  biasSd: number;
  randomSd: number;
  heads: number;
  scanners: number;
}

/** Spread assumed between scanners and among heads where hardly any was measured. */
interface Usual {
  between: number;
  random: number;
  /** observations that these spreads count as; three where they are but an estimate */
  weight?: number;
}

/** Observations that the usual spreads count as. */
const USUAL_WEIGHT = 3;
const MIN_RANDOM_SD = 0.01;

/** Expected square of the spread, from what was seen and what is usual. */
const shrunk = (sumOfSquares: number, freedom: number, usual: number, weight: number): number =>
  (sumOfSquares + weight * usual * usual) / (freedom + weight);

/** z of the 90th percentile: the end of an 80 % interval. */
const Z90 = 1.2815516;

/**
 * How much wider an 80 % interval is when the spread was estimated: Student's t over the normal distribution, with the
 * given degrees of freedom.
 * @see Abramowitz & Stegun 26.7.5, to two terms: within .5 % from 3 degrees on.
 */
function widening(n: number): number {
  const z = Z90;
  return 1 + (z ** 2 + 1) / (4 * n) + (5 * z ** 4 + 16 * z ** 2 + 3) / (96 * n * n);
}

/** Sum of squares of the errors about the mean of their scanner, and its degrees of freedom. */
function withinOf(groups: readonly Group[]): { squares: number; freedom: number } {
  let squares = 0, freedom = 0;
  for (const { errors } of groups) {
    const m = mean(errors);
    squares += errors.reduce((sum, e) => sum + (e - m) ** 2, 0);
    freedom += errors.length - 1;
  }
  return { squares, freedom };
}

/**
 * Error of a measure with random effects: scanners differ by a spread, and heads of one scanner by another.
 *
 * @param isCorrected  false: the bias is taken as 0, and what the scanners have in common counts to their spread.
 * @returns `null` without a head. The uncertainty of the mean is part of `biasSd`; both spreads are as much wider as
 *   few observations make them uncertain, so that a normal 80 % interval is the t interval.
 * @see DerSimonian & Laird 1986, doi:10.1016/0197-2456(86)90046-2; here both spreads are shrunk to the usual ones.
 */
export function fitError(
  groups: readonly Group[],
  usual: Usual,
  isCorrected = true,
): ErrorRow | null {
  const used = groups.filter(({ errors }) => errors.length > 0);
  if (used.length === 0) return null;
  const { weight = USUAL_WEIGHT } = usual, { squares, freedom } = withinOf(used);
  const random = shrunk(squares, freedom, usual.random, weight);
  const means = used.map(({ errors, person }) => {
    const shared = used.filter((other) => person !== undefined && other.person === person).length;
    return { value: mean(errors), own: random / errors.length * Math.max(1, shared) };
  });
  const far = farSite(used, usual), isNear = used.map((group) => siteOf(group) !== far?.site);
  const centre = isCorrected
    ? mean(means.filter((_, i) => isNear[i]).map(({ value }) => value))
    : 0;
  const seen = means.reduce(
    (sum, { value, own }, i) => {
      const distance = Math.abs(value - centre);
      return sum + Math.max(0, Math.min(distance, isNear[i] ? distance : far!.limit) ** 2 - own);
    },
    0,
  );
  const count = used.length - (isCorrected ? 1 : 0);
  const between = shrunk(seen, count, usual.between, weight);
  const weights = means.map(({ own }, i) => isNear[i] ? 1 / (between + own) : 0),
    total = weights.reduce((a, b) => a + b, 0);
  const bias = means.reduce((sum, { value }, i) => sum + value * weights[i]!, 0) / total;
  return {
    bias: isCorrected ? bias : 0,
    biasSd: widening(count + weight) * Math.sqrt(between + (isCorrected ? 1 / total : 0)),
    randomSd: Math.max(MIN_RANDOM_SD, widening(freedom + weight) * Math.sqrt(random)),
    heads: used.reduce((sum, { errors }) => sum + errors.length, 0),
    scanners: used.length,
  };
}

/**
 * Whether taking the bias away helps on a site that it was not measured on: each in turn is predicted from the others.
 * With fewer than three sites nothing says so; a site far from all others is not asked.
 */
export function isBiasTransferred(groups: readonly Group[], usual: Usual): boolean {
  const far = farSite(groups, usual), near = groups.filter((group) => siteOf(group) !== far?.site);
  const sites = bySite(near.filter(({ errors }) => errors.length > 0));
  if (sites.length < 3) return false;
  let left = 0, raw = 0;
  for (const site of sites) {
    const error = mean(site.map(({ errors }) => mean(errors)));
    const others = near.filter((group) => siteOf(group) !== siteOf(site[0]!));
    left += (error - fitError(others, usual)!.bias) ** 2;
    raw += error ** 2;
  }
  return left < raw;
}

/** Kinds of measures that share what is usual of their spreads: sums are steadier than parcels. */
function kindOf(key: string): "parcel" | "structure" | "lobe" | "total" {
  if (/^\d/.test(key)) return isCortex(Number(key.split("+")[0])) ? "parcel" : "structure";
  return LOBES.some((lobe) => key.startsWith(lobe) && lobe !== "insula") ? "lobe" : "total";
}

/** Median of a variance estimate from a few observations, over the variance: chi-square with four degrees of freedom. */
const MEDIAN_OF_VARIANCE = 0.839;

/** Spreads of the measures of each kind, from the measures themselves. */
export function usualSpreads(
  groupsByKey: ReadonlyMap<string, readonly Group[]>,
): ReadonlyMap<string, Usual> {
  const kinds = Map.groupBy([...groupsByKey], ([key]) => kindOf(key));
  return new Map([...kinds].map(([kind, measures]) => {
    const spreads = measures.flatMap(([, groups]) => {
      const { squares, freedom } = withinOf(groups);
      if (freedom === 0 || groups.length < 2) return [];
      const random = squares / freedom,
        means = groups.map(({ errors }) => mean(errors)),
        centre = mean(means);
      const whole = means.reduce((sum, m) => sum + (m - centre) ** 2, 0) / (means.length - 1);
      const chance = mean(groups.map(({ errors }) => random / errors.length));
      return [{ random, between: Math.max(0, whole - chance) }];
    });
    const usual = (pick: "random" | "between") =>
      Math.max(
        MIN_RANDOM_SD,
        Math.sqrt(median(spreads.map((spread) => spread[pick])) / MEDIAN_OF_VARIANCE),
      );
    return [
      kind,
      spreads.length === 0 ? ANY_SPREAD : { random: usual("random"), between: usual("between") },
    ];
  }));
}
/** Where no scanner has two heads. */
const ANY_SPREAD: Usual = { random: 0.05, between: 0.06 };

/** Spreads of the thickness of hemispheres of unseen sites are taken as they are; of parcels, over all heads. */
const USUAL_THICKNESS = {
  side: { between: 0.07, random: 0.07, weight: 2 },
  parcel: { between: 0.1, random: 0.14 },
};

const round = (value: number) => Number(value.toFixed(4));

/** Left and right of one structure are measured alike: they share their spreads, and keep their own bias. */
function withSharedSpreads(rows: ReadonlyMap<string, ErrorRow>): Map<string, ErrorRow> {
  return new Map([...rows].map(([key, row]) => {
    const label = Number(key), other = rows.get(String(label % 2 === 1 ? label + 1 : label - 1));
    const isSide = /^\d+$/.test(key) && regionOf(label)?.hemisphere !== "";
    if (!isSide || !other) return [key, row];
    const shared = (a: number, b: number) => Math.hypot(a, b) / Math.SQRT2;
    return [key, {
      ...row,
      biasSd: shared(row.biasSd, other.biasSd),
      randomSd: shared(row.randomSd, other.randomSd),
    }];
  }));
}

/** Heads from which on the error of a single parcel is known well enough for a band. */
const MIN_HEADS_OF_PARCEL = 10;
/** A single region of the cortex, or both sides of one. */
export const isParcel = (key: string): boolean =>
  /^\d+(\+\d+)?$/.test(key) && isCortex(Number(key.split("+")[0]));

/** Keys that are another measure under a second name. */
const SAME_AS: Readonly<Record<string, string>> = {
  white_matter: "1+2",
  insula_left: "103",
  insula_right: "104",
  insula: "103+104",
};

/** Keys of left and right of a total. */
const sidesOf = (key: string): string[] =>
  key.includes("+") ? key.split("+") : [`${key}_left`, `${key}_right`];

/** What is said of a total agrees with what is said of its sides: its bias is theirs, its spreads are its own. */
function withAgreeingTotals(rows: ReadonlyMap<string, ErrorRow>): Map<string, ErrorRow> {
  const agreeing = new Map([...rows].map(([key, row]) => {
    const [left, right] = sidesOf(key).map((side) => rows.get(side)?.bias);
    return [
      key,
      left === undefined || right === undefined ? row : { ...row, bias: (left + right) / 2 },
    ];
  }));
  for (const [key, other] of Object.entries(SAME_AS)) agreeing.set(key, agreeing.get(other)!);
  return agreeing;
}

/**
 * The error of every volume.
 * @param without A site whose heads are left out, to be predicted from the others.
 */
export function fitVolumes(evidence: Evidence, without?: string): FittedVolumes {
  const groups = new Map(
    VOLUME_KEYS.filter((key) => key !== "icv").map((key) =>
      [key, groupsOf(key, evidence).filter((group) => siteOf(group) !== without)] as const
    ),
  );
  const usual = usualSpreads(groups);
  const fitted = new Map([...groups].flatMap(([key, all]): [string, ErrorRow][] => {
    const spreads = usual.get(kindOf(key))!,
      row = fitError(all, spreads, isBiasTransferred(all, spreads));
    return row ? [[key, row]] : [];
  }));
  const unsteady = [...groups].filter(([key, all]) => {
    const spread = normSpread(key);
    return spread !== null && all.length > 0 &&
      errorBySite(all, usual.get(kindOf(key))!) > MAX_BY_SITE * spread;
  }).map(([key]) => key);
  return { fitted: withAgreeingTotals(withSharedSpreads(fitted)), unsteady: new Set(unsteady) };
}

/** Errors by measure, and the measures whose error by site is too large for the spread of their norm: these have no bands. */
interface FittedVolumes {
  fitted: Map<string, ErrorRow>;
  unsteady: ReadonlySet<string>;
}

/** The error of the mean thickness of a hemisphere, mm; `null` without a head. */
export function fitThickness(evidence: Evidence, without?: string): ErrorRow | null {
  const groups = thicknessGroups("thickness", evidence).filter((group) =>
    siteOf(group) !== without
  );
  return fitError(groups, USUAL_THICKNESS.side);
}

/** How often 80 % intervals hold the truth on sites that were left out, with the errors that are left there. */
export interface LeftOut {
  site: string;
  held: number;
  count: number;
  /** mean error after the correction from the other sites */
  residual: number;
}

/** Whether an error lies in the 80 % interval about a bias. */
export const isHeld = (error: number, { bias, biasSd, randomSd }: ErrorRow): boolean =>
  Math.abs(error - bias) <= Z90 * Math.hypot(biasSd, randomSd);

/** The mean thickness of hemispheres by leaving each site out. */
export function leftOutThickness(evidence: Evidence): LeftOut[] {
  return bySite(thicknessGroups("thickness", evidence)).flatMap((groups) => {
    const site = siteOf(groups[0]!), row = fitThickness(evidence, site);
    const errors = groups.flatMap((group) => group.errors);
    if (!row) return [];
    const held = errors.filter((error) => isHeld(error, row)).length;
    return [{ site, held, count: errors.length, residual: mean(errors) - row.bias }];
  });
}

/** Share of the intervals of sites left out, percent, within which bands of the thickness are given. */
const THICKNESS_COVERAGE = { low: 70, high: 90 };

function isThicknessCovered(evidence: Evidence): boolean {
  const all = leftOutThickness(evidence),
    sum = (pick: "held" | "count") => all.reduce((n, one) => n + one[pick], 0);
  const share = 100 * sum("held") / sum("count");
  return share >= THICKNESS_COVERAGE.low && share <= THICKNESS_COVERAGE.high;
}

/**
 * Most error by site, in spreads of the norm, that leaves a percentile. Chosen with the measured heads in sight: at 1 the third
 * ventricle, .85, made half of what was printed as below the 5th percentile and was not.
 */
const MAX_BY_SITE = 0.8;

/** Norms at which an error is compared with the spread among people. */
const USUAL_SUBJECT = { age: 45, sex: "female", icvMl: ICV_MEAN_ML.female } as const;

/** Spread of the norms of a volume, as a part of it: ln. `null` without a norm. */
export function normSpread(key: string): number | null {
  const norm = normOfMeasure(key, "volume", USUAL_SUBJECT);
  return norm && (norm.isLog10 ? norm.sd * Math.LN10 : norm.sd / norm.mean);
}

/**
 * Root mean square over the sites of the mean error that is left where the bias comes from the other sites alone, ln.
 */
function errorBySite(groups: readonly Group[], usual: Usual): number {
  const isCorrected = isBiasTransferred(groups, usual);
  return Math.sqrt(mean(
    bySite(groups).map((site) => {
      const others = groups.filter((group) => siteOf(group) !== siteOf(site[0]!));
      const bias = isCorrected ? fitError(others, usual)?.bias ?? 0 : 0;
      return (mean(site.map(({ errors }) => mean(errors))) - bias) ** 2;
    }),
  ));
}

/** Keys of left, right and both of what a key belongs to. */
function familyOf(key: string): string[] {
  const label = Number(key), other = label % 2 === 1 ? label + 1 : label - 1;
  if (/^\d+$/.test(key)) {
    return regionOf(label)?.hemisphere === "" ? [key] : [key, `${other}`];
  }
  if (key.includes("+")) return key.split("+");
  const name = key.replace(/_(left|right)$/, "");
  return [name, `${name}_left`, `${name}_right`];
}

/** Measures that are withheld in both settings because their error by site is too large in one. */
export const unsteadyIn = (heads: readonly MeasuredHead[]): ReadonlySet<string> =>
  new Set(
    [false, true].flatMap((hasOpinion) => [...fitVolumes(evidenceOf(heads, hasOpinion)).unsteady]),
  );

/** Which measures get bands by a fit. @param unsteady See {@link unsteadyIn}. */
export function bandsOf(
  { fitted }: FittedVolumes,
  unsteady: ReadonlySet<string>,
): (key: string) => boolean {
  const isUseful = (key: string): boolean => {
    const row = fitted.get(key);
    return row !== undefined && familyOf(key).every((member) => !unsteady.has(member)) &&
      areBandsUseful("volume", key, { ...row, hasBands: true });
  };
  return (key) => {
    const name = Object.values(SAME_AS).includes(key) || !(key in SAME_AS) ? key : SAME_AS[key]!;
    const isKnownWell = !isParcel(name) || (fitted.get(key)?.heads ?? 0) >= MIN_HEADS_OF_PARCEL;
    // a total is as good as its sides
    return isKnownWell && (isUseful(key) || sidesOf(key).every(isUseful));
  };
}

/** The errors of one setting. */
function settingTable(evidence: Evidence, unsteady: ReadonlySet<string>) {
  const model = fitVolumes(evidence), hasBands = bandsOf(model, unsteady);
  const volume = [...model.fitted].map(([key, { bias, biasSd, randomSd, ...counts }]) => [key, {
    bias: round(bias),
    bias_sd: round(biasSd),
    random_sd: round(randomSd),
    ...counts,
    bands: hasBands(key),
  }]);
  const side = fitThickness(evidence), isCovered = isThicknessCovered(evidence);
  const thickness = THICKNESS_KEYS.flatMap((key) => {
    const isParcelKey = /^\d/.test(key);
    const own = isParcelKey
      ? fitError(thicknessGroups(key, evidence), USUAL_THICKNESS.parcel)
      : null;
    if (!side || (isParcelKey && !own)) return [];
    const row = own
      ? { ...own, bias: side.bias + own.bias, biasSd: Math.hypot(side.biasSd, own.biasSd) }
      : side;
    const { bias, biasSd, randomSd, ...counts } = row;
    return [[key, {
      bias_mm: round(bias),
      bias_sd_mm: round(biasSd),
      random_sd_mm: round(randomSd),
      ...counts,
      bands: isCovered && areBandsUseful("thickness", key, { ...row, hasBands: true }),
    }]];
  });
  return { volume: Object.fromEntries(volume), thickness: Object.fromEntries(thickness) };
}

/** The table of `model/norms/method_error.json` from measured heads. */
export function errorTable(heads: readonly MeasuredHead[]) {
  const [alone, asked] = [false, true].map((hasOpinion) => evidenceOf(heads, hasOpinion));
  const unsteady = unsteadyIn(heads), { heads: labelled } = alone!, { heads: withOpinion } = asked!;
  const scannersOf = (of: readonly MeasuredHead[]) => `${byScanner(of).length} scanners`;
  const sources = [
    {
      name: "scans with FreeSurfer 6 reference segmentation, current engine",
      kind: "labelled",
      scanner: scannersOf(labelled),
      heads: labelled.length,
    },
    ...(withOpinion.length === 0 ? [] : [{
      // may be the brains of the heads above once more, so that they are not counted with them
      name: "scans segmented with the second network, current engine",
      kind: "second opinion",
      scanner: scannersOf(withOpinion),
      heads: withOpinion.length,
    }]),
  ];
  return {
    engines: [...new Set(heads.map(({ version }) => version))].sort(),
    made_by: "deno task bench truth",
    thickness_offset_mm: OFFSET_MM,
    sources,
    without_second_opinion: settingTable(alone!, unsteady),
    with_second_opinion: settingTable(asked!, unsteady),
  };
}

/** Median of the absolute errors of all regions, percent: one figure for a head. */
export const medianError = (head: MeasuredHead, labels: readonly number[]): number =>
  median(
    labels.flatMap((l) => logRatio(head.oursMm3[l]!, head.theirsMm3[l]!)).map((e) =>
      100 * Math.abs(Math.expm1(e))
    ),
  );
