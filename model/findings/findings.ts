// Conclusion from all values of a study: values outside the expected range, by importance.
import { areaOf, type Candidate, candidatesOf, type Side } from "@/model/findings/candidates.ts";
import { followsFrom, missingParts } from "@/model/findings/missing.ts";
import type { MeasuredStudy } from "@/model/measured/measured_study.ts";
import { isAtLow, isClearOfLow, isLowLevel, isWithinLow } from "@/model/norms/bands.ts";
import { rankOfSides, sidesDifferenceOf, surpriseOfSides } from "@/model/norms/sides.ts";
import { asymmetryPercent } from "@/model/regions/asymmetry.ts";
import {
  isInvertedKey,
  keyOf,
  labelsOf,
  LOBES,
  type MeasureKey,
} from "@/model/regions/measures.ts";
import { regionOf } from "@/model/regions/regions.ts";
import type {
  AsymmetryFinding,
  Certainty,
  ChangeFinding,
  Conclusion,
  ConclusionState,
  Finding,
  OutsideFinding,
} from "@/model/schema/report/finding.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";

/**
 * Deviation (SD) beyond which a single value is a finding: for key parts, then for the other parts,
 * of which there are so many that a healthy person often has one outside.
 * With these limits about one in 30 healthy heads has a firm finding (`findings_test.ts`).
 */
const KEY_ALONE = 3, OTHER_ALONE = 3.6;
/**
 * Deviation at which two structures of one area and side support each other.
 * One of the two must be a key part.
 */
const TOGETHER = 2.5;
/**
 * Deviation (SD) beyond which a left-right difference is a finding: key parts, then other parts.
 */
const SIDES_KEY_ALONE = 3.2, SIDES_OTHER_ALONE = 3.9;
/** Deviation (SD) beyond which a possible finding is listed: key parts, then other parts. */
const KEY_POSSIBLE = 1.5, OTHER_POSSIBLE = 2.2;

/** Parts, lobes and aggregates that physicians look at first. */
const KEY_PARTS = new Set<string>([
  "Hippocampus",
  "Lateral ventricle",
  "Cerebellar cortex",
  "cortex",
  "Cerebral white matter",
  "brain",
  "frontal",
  "parietal",
  "temporal",
  "occipital",
]);

/** Weight of each part in the order of findings on the first page. */
const WEIGHTS: Readonly<Record<string, number>> = {
  "Hippocampus": 1.3,
  "temporal": 1.25,
  "frontal": 1.2,
  "parietal": 1.2,
  "occipital": 1.2,
  "Lateral ventricle": 1.15,
  "cortex": 1.1,
  "Cerebral white matter": 1.1,
  "Cerebellar cortex": 1.1,
  "brain": 1.05,
  "Inferior lateral ventricle": 0.9,
  "Fourth ventricle": 0.8,
};
const SMALL_WEIGHT = 0.6, SCORE_WEIGHT = 0.9;
const CERTAINTY_ORDER: readonly Certainty[] = ["firm", "single", "possible"];

/** A change since an earlier study that exceeds the measurement error. */
export type MeasuredChange = Omit<ChangeFinding, "kind" | "certainty">;

/** Input of a conclusion other than the measured values. */
export interface Circumstances {
  changes?: readonly MeasuredChange[];
  /** Atrophy Score of the report; `null` without percentiles */
  score?: { score: number; level: number; rank: PercentileRank } | null;
}

interface Weighed {
  finding: Finding;
  strength: number;
}

/** Pairs of left and right structures that are compared, with their names. */
function pairsOf(study: MeasuredStudy): { part: string; keys: [MeasureKey, MeasureKey] }[] {
  return [
    ...study.regions.filter(({ part_index }) => part_index.length === 2).map(
      ({ brain_regions: part, part_index: [left, right] }) => ({
        part,
        keys: [keyOf([left!]), keyOf([right!])] as [MeasureKey, MeasureKey],
      }),
    ),
    ...["cortex", ...LOBES].map((part) => ({
      part,
      keys: [`${part}_left`, `${part}_right`] as [MeasureKey, MeasureKey],
    })),
  ];
}

/** Left-right difference of a pair of structures, with its percentile. */
export interface SidedPair {
  part: string;
  isInverted: boolean;
  isSmall: boolean;
  percent: number;
  rank: PercentileRank;
  surprise: number;
}

/** Left-right difference of each pair for which a difference can be assessed. */
export function asymmetriesOf(study: MeasuredStudy): SidedPair[] {
  const { t1, normSubject, subject } = study;
  if (!t1) return [];
  const mm3Of = (key: MeasureKey) =>
    labelsOf(key).reduce((sum, label) => sum + (t1.volumesMm3[label] ?? 0), 0);
  return pairsOf(study).flatMap(({ part, keys }): SidedPair[] => {
    const values = [mm3Of(keys[0]), mm3Of(keys[1])] as const;
    const sides = sidesDifferenceOf("volume", keys, values, normSubject, subject.method);
    const percent = asymmetryPercent(...values);
    if (!sides || percent === null) return [];
    const label = Number(keys[0]);
    return [{
      part,
      isInverted: isInvertedKey(keys[0]),
      isSmall: label >= 37,
      percent,
      rank: rankOfSides(sides),
      surprise: Math.abs(surpriseOfSides(sides)),
    }];
  });
}

const weightOf = ({ part, isSmall }: Pick<Candidate, "part" | "isSmall">): number =>
  WEIGHTS[part] ?? (isSmall ? SMALL_WEIGHT : 1);

/** Whether two sides (left, right, both) are the same, or one of them is not specified. */
const canMeet = (a: Side, b: Side) => a === b || a === "" || b === "";

/** Whether a lobe or aggregate contains a part: then it is no independent support for that part. */
const holds = (whole: string, part: Candidate): boolean =>
  part.isSmall && (whole === "cortex" || whole === regionOf(Number(part.key.split("+")[0]))?.group);

/**
 * Whether a value is possibly low. A value with a too large error for a band is possibly low if the
 * whole interval is low: a report with such a value is not called usual.
 */
const isPossible = (
  { rank, isInverted }: Candidate,
  thresholds: readonly number[],
): boolean =>
  rank.has_bands
    ? isLowLevel(rank.possible_level, thresholds)
    : rank.doubt === null && isWithinLow(rank, thresholds, isInverted);

/** Candidates outside the normal range in a table, with the certainty of each. */
function certaintiesOf(
  candidates: readonly Candidate[],
  thresholds: readonly number[],
): Map<Candidate, Certainty> {
  const marked = candidates.filter(({ rank }) =>
    rank.has_bands && isLowLevel(rank.level, thresholds)
  );
  const areaAt = ({ part, key }: Candidate) =>
    areaOf(part, /^\d/.test(key) ? Number(key.split("+")[0]) : undefined);
  const isSupported = (a: Candidate) =>
    a.surprise >= TOGETHER &&
    marked.some((b) =>
      b.part !== a.part && b.surprise >= TOGETHER && areaAt(a) === areaAt(b) &&
      canMeet(a.side, b.side) &&
      !holds(b.part, a) && !holds(a.part, b) && !(a.isSmall && b.isSmall)
    );
  const certainties = new Map<Candidate, Certainty>();
  for (const candidate of candidates) {
    const { surprise, part } = candidate, isKey = KEY_PARTS.has(part);
    if (marked.includes(candidate)) {
      const isFirm = surprise >= (isKey ? KEY_ALONE : OTHER_ALONE) || isSupported(candidate);
      certainties.set(candidate, isFirm ? "firm" : "single");
    } else if (
      isPossible(candidate, thresholds) && surprise >= (isKey ? KEY_POSSIBLE : OTHER_POSSIBLE)
    ) certainties.set(candidate, "possible");
  }
  return certainties;
}

/** Findings about each part: one per side if a side is outside, otherwise one about the total. */
function outsideFindings(
  candidates: readonly Candidate[],
  certainties: ReadonlyMap<Candidate, Certainty>,
): Weighed[] {
  const parts = Map.groupBy(candidates, ({ measure, part }) => `${measure} ${part}`);
  return [...parts.values()].flatMap((all): Weighed[] => {
    const outside = all.filter((one) => certainties.has(one));
    const best = CERTAINTY_ORDER.find((level) =>
      outside.some((one) => certainties.get(one) === level)
    );
    if (best === undefined) return [];
    const strongest = outside.filter((one) => certainties.get(one) === best);
    const isDoubted = outside.some(({ rank }) => rank.doubt !== null);
    const sided = strongest.filter(({ side }) => side !== "");
    const other = sided.length === 1
      ? all.find(({ side }) => side !== "" && side !== sided[0]!.side)
      : undefined;
    const certaintyOfOther = other && certainties.get(other);
    // names only one side if the table does not mark the other side as well
    if (certaintyOfOther === "single") {
      const both = all.filter((one) => one === other || one === sided[0]);
      return [outsideFinding(both, best, isDoubted)];
    }
    // a finding is about both sides if only the total is outside, or one side cannot be judged
    const total = strongest.find(({ side }) => side === "");
    const isOfTotal = sided.length === 0 || total && other && isUnjudgedLow(other);
    const finding = outsideFinding(
      isOfTotal ? strongest.filter((one) => one === total) : sided,
      best,
      isDoubted,
    );
    return certaintyOfOther === "possible" && best !== "possible"
      ? [finding, outsideFinding([other!], "possible", isDoubted)]
      : [finding];
  });
}

/** Whether a low value, or a high value of fluid, has an error too large to be judged. */
const isUnjudgedLow = ({ rank, surprise }: Candidate): boolean =>
  !rank.has_bands && surprise >= KEY_POSSIBLE;

/** Makes a finding about a part, from its total or from one or both sides. */
function outsideFinding(
  values: readonly Candidate[],
  certainty: Certainty,
  isDoubted: boolean,
): Weighed {
  const [first] = values as [Candidate];
  const finding: OutsideFinding = {
    kind: first.isInverted ? "high" : "low",
    measure: first.measure,
    part: first.part,
    side: values.length > 1 ? "both" : first.side,
    certainty,
    values: values.map(({ side, value, rank }) => ({ side, value, rank })),
    is_doubted: isDoubted,
  };
  const surprise = Math.max(...values.map(({ surprise }) => surprise));
  return { finding, strength: surprise * weightOf(first) };
}

function asymmetryFindings(pairs: readonly SidedPair[]): Weighed[] {
  return pairs.flatMap(({ part, isInverted, isSmall, percent, rank, surprise }): Weighed[] => {
    if (rank.level === 0) return [];
    // the norms of both sides give the expected asymmetry: some pairs are asymmetric in healthy
    // people
    const isLeftSmaller = rank.percentile < 50;
    const finding: AsymmetryFinding = {
      kind: "asymmetry",
      part,
      side: isLeftSmaller !== isInverted ? "L" : "R",
      certainty: surprise >= (KEY_PARTS.has(part) ? SIDES_KEY_ALONE : SIDES_OTHER_ALONE)
        ? "firm"
        : "single",
      percent: Math.round(10 * percent) / 10,
      rank,
      is_doubted: surprise > 3.29,
    };
    return [{ finding, strength: 0.6 * surprise * weightOf({ part, isSmall }) }];
  });
}

/** The three groups of regions that contain the most lesion volume. */
function placesOf({ lesions }: MeasuredStudy): string[] {
  const byGroup = new Map<string, number>();
  for (const { near_label: label, peri_ml, deep_ml } of lesions?.wmh_detail.lesions ?? []) {
    const group = label === undefined ? undefined : regionOf(label)?.group;
    if (group) byGroup.set(group, (byGroup.get(group) ?? 0) + peri_ml + deep_ml);
  }
  return [...byGroup].sort((a, b) => b[1] - a[1]).slice(0, 3).map(([group]) => group);
}

/** Finding about white matter lesions; `null` for a volume of low confidence or within noise. */
function lesionFindings(study: MeasuredStudy): Weighed[] {
  const { lesions, fazekasEquivalent: grade } = study;
  if (!lesions || grade === null || lesions.wmh_detail.is_minimal) return [];
  const { wmh: total, peri_wmh: peri, deep_wmh: deep } = lesions;
  return [{
    finding: {
      kind: "lesions",
      certainty: grade >= 2 ? "firm" : "single",
      total,
      peri,
      deep,
      fazekas_equivalent: grade,
      places: placesOf(study),
    },
    strength: 1.5 + grade,
  }];
}

/** Whether a change exceeds the change that the norms expect at this age. */
const isBeyondAging = ({ percent, norm_percent: norm }: MeasuredChange): boolean =>
  norm === null || Math.abs(percent) > Math.abs(norm) || Math.sign(percent) !== Math.sign(norm);

function changeFindings(changes: readonly MeasuredChange[]): Weighed[] {
  return changes.filter(isBeyondAging).map((change) => ({
    finding: {
      kind: "change",
      certainty: change.is_acquisition_unknown ? "possible" : "firm",
      ...change,
    },
    strength: 3 + Math.abs(change.percent - (change.norm_percent ?? 0)) / 2,
  }));
}

/** Parts that must all be certainly normal for a normal conclusion: Main Page rows and lobes. */
const USUAL_PARTS = new Set<string>([
  "Hippocampus",
  "Amygdala",
  "Thalamus",
  "Cerebral white matter",
  "Lateral ventricle",
  "brain",
  "cortex",
  ...LOBES,
]);

/** Parts with an implausible value, or one that may be outside the range given the error. */
function openPartsOf(
  candidates: readonly Candidate[],
  { thresholds, icvRank }: MeasuredStudy,
): string[] {
  const open = candidates.filter((candidate) => {
    const { part, rank, isInverted } = candidate;
    if (rank.doubt !== null) return true;
    if (isPossible(candidate, thresholds)) return true;
    if (!USUAL_PARTS.has(part)) return false;
    return rank.has_bands
      ? !isClearOfLow(rank, thresholds, isInverted)
      : isAtLow(rank, thresholds, isInverted);
  });
  return [...icvRank?.doubt ? ["icv"] : [], ...new Set(open.map(({ part }) => part))];
}

/**
 * All findings of a study, and the conclusion from these findings.
 * @returns findings by weight, most important first.
 * `model/findings/sentences.ts` makes the sentences.
 */
export function concludeStudy(
  study: MeasuredStudy,
  { changes = [], score = null }: Circumstances = {},
): Omit<Conclusion, "sentences" | "stated" | "agreeing"> {
  const { thresholds } = study, candidates = candidatesOf(study);
  const certainties = certaintiesOf(candidates, thresholds);
  const weighed = [
    ...outsideFindings(candidates, certainties),
    ...asymmetryFindings(asymmetriesOf(study)),
    ...lesionFindings(study),
    ...changeFindings(changes),
    ...score && isLowLevel(score.level, thresholds)
      ? [{
        finding: {
          kind: "score",
          certainty: "firm",
          score: score.score,
          rank: score.rank,
        } as const,
        strength: SCORE_WEIGHT * 3,
      }]
      : [],
  ];
  const missing = study.t1 ? missingParts(study.t1.volumesMm3) : [];
  const compared = weighed.sort((a, b) =>
    CERTAINTY_ORDER.indexOf(a.finding.certainty) - CERTAINTY_ORDER.indexOf(b.finding.certainty) ||
    b.strength - a.strength
  ).map(({ finding }) => finding);
  const findings = [...missing, ...compared.filter((one) => !followsFrom(one, missing))];
  const openParts = openPartsOf(candidates, study);
  const doubted = candidates.filter(({ rank }) => rank.doubt !== null).map(({ part }) => part);
  return {
    state: stateOf(findings, candidates.length > 0 && openParts.length === 0),
    findings,
    open_parts: openParts,
    ...(doubted.length > 0 && { doubted_parts: [...new Set(doubted)] }),
  };
}

function stateOf(findings: readonly Finding[], isClear: boolean): ConclusionState {
  const has = (level: Certainty) => findings.some(({ certainty }) => certainty === level);
  if (has("firm")) return "findings";
  if (has("single")) return "single";
  if (has("possible")) return "possible";
  return isClear ? "usual" : "not_determined";
}
