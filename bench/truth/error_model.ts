import published from "@/bench/truth/published.json" with { type: "json" };
import { labelsOf, LOBES, THICKNESS_KEYS, VOLUME_KEYS } from "@/model/regions/measures.ts";
import { areBandsUseful } from "@/model/norms/percentile_rank.ts";
import { isCortex, regionOf } from "@/model/regions/regions.ts";
import { mean, median } from "@/bench/engine/score.ts";
import { type MeasuredHead, withoutOpinion } from "@/bench/truth/measured_head.ts";

/** Errors of one measure on the heads of one scanner: ln(ours / truth), or mm. */
export interface Group {
  scanner: string;
  errors: readonly number[];
  /** where only the mean is known, `errors` holds it once for each head, and this is their spread, or null if unknown */
  sd?: number | null;
  /** groups with the same person do not tell how far people lie apart: together they count as one head */
  person?: string;
}

/** Error of a measure; see `model/norms/method_error.ts`. */
export interface ErrorRow {
  bias: number;
  biasSd: number;
  randomSd: number;
  heads: number;
  scanners: number;
}

/** What the spread between scanners and among heads is taken to be where nearly nothing was measured. */
interface Usual {
  between: number;
  random: number;
  /** observations that these spreads count as; three where they are but an estimate */
  weight?: number;
}

/** Observations that the usual spreads count as. */
const USUAL_WEIGHT = 3;
/** Mean range of seven normal values over their spread. @see Tippett 1925, doi:10.1093/biomet/17.3-4.364. */
const RANGE_OF_SEVEN = 2.704;
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

/**
 * Error of a measure with random effects: scanners differ by a spread, and heads of one scanner by another.
 *
 * @returns `null` without a head. The uncertainty of the mean is part of `biasSd`; both spreads are as much wider as
 *   few observations make them uncertain, so that a normal 80 % interval is the t interval.
 * @see DerSimonian & Laird 1986, doi:10.1016/0197-2456(86)90046-2; here both spreads are shrunk to the usual ones.
 */
export function fitError(groups: readonly Group[], usual: Usual): ErrorRow | null {
  const used = groups.filter(({ errors }) => errors.length > 0);
  if (used.length === 0) return null;
  const { weight = USUAL_WEIGHT } = usual;
  let squares = 0, freedom = 0;
  for (const { errors, sd } of used) {
    if (sd === null) continue;
    const n = errors.length, m = mean(errors);
    squares += sd === undefined ? errors.reduce((sum, e) => sum + (e - m) ** 2, 0) : (n - 1) * sd * sd;
    freedom += n - 1;
  }
  const random = shrunk(squares, freedom, usual.random, weight);
  const means = used.map(({ errors, person }) => {
    const shared = used.filter((other) => person !== undefined && other.person === person).length;
    return { value: mean(errors), own: random / errors.length * Math.max(1, shared) };
  });
  const plain = mean(means.map(({ value }) => value));
  const seen = means.reduce((sum, { value, own }) => sum + Math.max(0, (value - plain) ** 2 - own), 0);
  const between = shrunk(seen, used.length - 1, usual.between, weight);
  const weights = means.map(({ own }) => 1 / (between + own)), total = weights.reduce((a, b) => a + b, 0);
  return {
    bias: means.reduce((sum, { value }, i) => sum + value * weights[i]!, 0) / total,
    biasSd: widening(used.length - 1 + weight) * Math.sqrt(between + 1 / total),
    randomSd: Math.max(MIN_RANDOM_SD, widening(freedom + weight) * Math.sqrt(random)),
    heads: used.reduce((sum, { errors }) => sum + errors.length, 0),
    scanners: used.length,
  };
}

const logRatio = (ours: number, theirs: number): number[] =>
  ours > 0 && theirs > 0 ? [Math.log(ours / theirs)] : [];

/** Heads by scanner; a head that names none is a scanner of its own. */
function byScanner(heads: readonly MeasuredHead[]): [string, MeasuredHead[]][] {
  const groups = Map.groupBy(heads, (head) => head.facts.scanner ?? head.name);
  return [...groups];
}

/** Who a head belongs to, where several heads are of one person. */
const personOf = ({ name, facts }: MeasuredHead): string | undefined =>
  facts.person ?? (published.people as Record<string, string>)[name];

/** One side varies more than both together. */
const SIDE_SPREAD = 1.15;

/** Published figures of a side are those of its pair where it has none of its own. */
function publishedGroups(key: string): Group[] {
  const own = publishedOf(key), left = Number(key) - (Number(key) + 1) % 2;
  if (own.length > 0) return own;
  if (key === "1+2") return publishedOf("white_matter");
  if (!/^\d+$/.test(key) || isCortex(left)) return [];
  const pair = publishedOf(left === 1 ? "white_matter" : `${left}+${left + 1}`);
  return pair.map((group) => ({ ...group, sd: group.sd && SIDE_SPREAD * group.sd }));
}

function publishedOf(key: string): Group[] {
  return published.groups.flatMap(({ scanner, heads, volume }): Group[] => {
    const row = (volume as Record<string, number[]>)[key];
    if (!row) return [];
    const [ratio, low, high] = row as [number, number?, number?];
    const range = low !== undefined && high !== undefined ? Math.log(high / low) / RANGE_OF_SEVEN : null;
    const sd = (published.since.sd as Record<string, number>)[key] ?? range;
    const since = (published.since.volume as Record<string, number>)[key] ?? 0;
    return [{ scanner, errors: Array(heads).fill(Math.log(ratio) + since), sd }];
  });
}

/** ln(ours / theirs) of a measure of a head; empty where its labels do not tell. */
export function logErrorOf(key: string, head: MeasuredHead): number[] {
  const labels = key === "icv" ? [] : labelsOf(key);
  const needsParcels = labels.some(isCortex) && !key.startsWith("cortex") && key !== "brain";
  const sum = (mm3: readonly number[]) => labels.reduce((total, label) => total + (mm3[label] ?? 0), 0);
  return head.hasParcels || !needsParcels ? logRatio(sum(head.oursMm3), sum(head.theirsMm3)) : [];
}

/** Heads that tell of one setting: with the second opinion or without. */
export interface Evidence {
  hasOpinion: boolean;
  heads: readonly MeasuredHead[];
  /** heads of scanners that only the other setting was measured on; their errors are moved by `change` */
  others: readonly MeasuredHead[];
  /** ln of a volume over that without the second opinion, on heads analysed both ways; 0 for the other setting */
  change(key: string): number;
}

const scannerOf = ({ facts, name }: MeasuredHead): string => facts.scanner ?? name;

/**
 * What labelled heads tell of one setting. A head that was analysed both ways counts for "without" only where its scanner
 * has no head of its own there: extracted brains get no second opinion and are the same brains once more.
 */
export function evidenceOf(all: readonly MeasuredHead[], hasOpinion: boolean): Evidence {
  const labelled = all.filter(({ facts }) => facts.kind !== "synthetic");
  const asked = labelled.filter(({ opinion }) => opinion === "agreed");
  const rest = labelled.filter(({ opinion }) => opinion !== "agreed");
  const missing = (heads: readonly MeasuredHead[], from: readonly MeasuredHead[]) =>
    heads.filter((head) => !from.some((other) => scannerOf(other) === scannerOf(head)));
  if (!hasOpinion) {
    const heads = [...rest, ...missing(asked, rest).flatMap((head) => withoutOpinion(head) ?? [])];
    return { hasOpinion, heads, others: [], change: () => 0 };
  }
  const change = (side: string) => {
    // few heads were analysed both ways: what their sides do apart is chance
    const left = Number(side) - (Number(side) + 1) % 2, isSide = /^\d+$/.test(side) && !isCortex(left);
    const key = isSide && regionOf(left)?.hemisphere === "L" ? `${left}+${left + 1}` : side;
    const moved = asked.flatMap((head) => {
      const plain = withoutOpinion(head), [after] = logErrorOf(key, head);
      const [before] = plain ? logErrorOf(key, plain) : [];
      return after === undefined || before === undefined ? [] : [after - before];
    });
    return moved.length > 0 ? mean(moved) : 0;
  };
  return { hasOpinion, heads: asked, others: missing(rest, asked), change };
}

const volumeGroups = (key: string, heads: readonly MeasuredHead[], change = 0): Group[] =>
  byScanner(heads).map(([scanner, own]) => ({
    scanner,
    person: personOf(own[0]!),
    errors: own.flatMap((head) => logErrorOf(key, head)).map((error) => error + change),
  }));

function thicknessGroups(key: string, heads: readonly MeasuredHead[]): Group[] {
  return byScanner(heads).map(([scanner, own]) => ({
    scanner,
    person: personOf(own[0]!),
    errors: own.flatMap((head) => head.thickness.filter((t) => t.key === key).map((t) => t.ours - t.theirs)),
  }));
}

/** Usual spreads of a measure; between scanners at least that among the simulated ones. */
function usualOf(key: string): Usual {
  const usual = usualOfKind(key);
  const simulated = (published.simulated.between as Record<string, number>)[key] ?? 0;
  return { ...usual, between: Math.max(usual.between, simulated) };
}

/** Usual spreads of kinds of measures: sums are steadier than parcels. */
function usualOfKind(key: string): Usual {
  if (["1", "2", "1+2"].includes(key)) return { between: 0.02, random: 0.02 };
  if (/^\d+$/.test(key) && isCortex(Number(key))) {
    return { between: 0.7 * published.parcels.systematic, random: published.parcels.random };
  }
  if (/^\d+\+\d+$/.test(key) && isCortex(Number(key.split("+")[0]))) return { between: 0.07, random: 0.11 };
  if (LOBES.some((lobe) => key.startsWith(lobe) && lobe !== "insula")) return published.lobes;
  return /^\d/.test(key) ? { between: 0.07, random: 0.04 } : { between: 0.02, random: 0.02 };
}
/** Mean thickness of a side: sd .08 mm over 18 published hemispheres of nine heads. */
const USUAL_THICKNESS = {
  side: { between: 0.055, random: 0.06, weight: 8 },
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
    return [key, left === undefined || right === undefined ? row : { ...row, bias: (left + right) / 2 }];
  }));
  for (const [key, other] of Object.entries(SAME_AS)) agreeing.set(key, agreeing.get(other)!);
  return agreeing;
}

/** Errors of a volume by scanner: the published ones, and those of labelled heads. */
export function groupsOf(key: string, evidence: Evidence): Group[] {
  const change = evidence.change(key);
  return [
    ...publishedGroups(key).map((group) => ({ ...group, errors: group.errors.map((e) => e + change) })),
    ...volumeGroups(key, evidence.heads),
    ...volumeGroups(key, evidence.others, change),
  ];
}

/**
 * The error of every volume.
 * @param without A scanner whose heads are left out, to be predicted from the others.
 */
export function fitVolumes(evidence: Evidence, without?: string): Map<string, ErrorRow> {
  const fitted = new Map(
    VOLUME_KEYS.filter((key) => key !== "icv").flatMap((key): [string, ErrorRow][] => {
      const groups = groupsOf(key, evidence).filter(({ scanner }) => scanner !== without);
      const row = fitError(groups, usualOf(key));
      return row ? [[key, row]] : [];
    }),
  );
  return withAgreeingTotals(withSharedSpreads(fitted));
}

/** The errors of one setting. */
function settingTable(evidence: Evidence) {
  const fitted = fitVolumes(evidence);
  const isUseful = (key: string): boolean => {
    const row = fitted.get(key);
    return row !== undefined && areBandsUseful("volume", key, { ...row, hasBands: true });
  };
  const volume = [...fitted].map(([key, row]) => {
    const { bias, biasSd, randomSd, ...counts } = row;
    const name = Object.values(SAME_AS).includes(key) || !(key in SAME_AS) ? key : SAME_AS[key]!;
    return [key, {
      bias: round(bias),
      bias_sd: round(biasSd),
      random_sd: round(randomSd),
      ...counts,
      bands: (!isParcel(name) || row.heads >= MIN_HEADS_OF_PARCEL) &&
        // a total is as good as its sides
        (isUseful(key) || sidesOf(key).every(isUseful)),
    }];
  });
  const thickness = THICKNESS_KEYS.flatMap((key) => {
    const usual = /^\d/.test(key) ? USUAL_THICKNESS.parcel : USUAL_THICKNESS.side;
    const row = fitError(thicknessGroups(key, [...evidence.heads, ...evidence.others]), usual);
    if (!row) return [];
    const { bias, biasSd, randomSd, ...counts } = row;
    return [[key, {
      bias_mm: round(bias),
      bias_sd_mm: round(biasSd),
      random_sd_mm: round(randomSd),
      ...counts,
      bands: areBandsUseful("thickness", key, { ...row, hasBands: true }),
    }]];
  });
  return { volume: Object.fromEntries(volume), thickness: Object.fromEntries(thickness) };
}

/** The table of `model/norms/method_error.json` from measured heads and the published figures of heads that are not here. */
export function errorTable(heads: readonly MeasuredHead[]) {
  const [alone, asked] = [false, true].map((hasOpinion) => evidenceOf(heads, hasOpinion));
  const { heads: labelled } = alone!, { heads: withOpinion } = asked!;
  const scannersOf = (of: readonly MeasuredHead[]) => `${byScanner(of).length} scanners`;
  const sources = [
    {
      name: "heads with FreeSurfer 6 labels, first engine",
      kind: "published",
      scanner: `${published.groups.length} scanners`,
      heads: published.groups.reduce((sum, { heads: n }) => sum + n, 0),
    },
    {
      name: "heads with FreeSurfer 6 labels, this engine",
      kind: "labelled",
      scanner: scannersOf(labelled),
      heads: labelled.length,
    },
    ...(withOpinion.length === 0 ? [] : [{
      // may be the brains of the heads above once more, so that they are not counted with them
      name: "heads that got a second opinion, this engine",
      kind: "second opinion",
      scanner: scannersOf(withOpinion),
      heads: withOpinion.length,
    }]),
  ];
  return {
    engines: [...new Set(heads.map(({ version }) => version))].sort(),
    made_by: "deno task bench truth",
    sources,
    without_second_opinion: settingTable(alone!),
    with_second_opinion: settingTable(asked!),
  };
}

/** Median of the absolute errors of all regions, percent: one figure for a head. */
export const medianError = (head: MeasuredHead, labels: readonly number[]): number =>
  median(
    labels.flatMap((l) => logRatio(head.oursMm3[l]!, head.theirsMm3[l]!)).map((e) =>
      100 * Math.abs(Math.expm1(e))
    ),
  );
