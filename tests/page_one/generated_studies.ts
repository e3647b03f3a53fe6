// Studies of all kinds, each from a seed: volumes, grades, lesions and prior studies, with the
// report and the entry in the worklist.
import {
  type HeadFigures,
  type Pattern,
  simulatedFigures,
} from "@/model/findings/simulated_heads_fixture.ts";
import type { FlairFigures } from "@/model/measured/measured_study.ts";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import type { Sex } from "@/model/norms/norms.ts";
import { THICKNESS_OFFSET_MM } from "@/model/norms/method_error.ts";
import { type Method, methodOf } from "@/model/norms/percentile_rank.ts";
import { Random } from "@/model/random.ts";
import type { PageCode } from "@/model/report/pages.ts";
import { regionOf, REGIONS } from "@/model/regions/regions.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import type { StudyFinding } from "@/model/schema/studies/patients.ts";
import { studyFindingOf } from "@/server/core/analyses/service/finding.ts";
import type { LongitudinalResults } from "@/server/core/analyses/storage/longitudinal.ts";
import { flairInput, reportInput } from "@/server/core/reports/service/report_fixture.ts";
import {
  buildFlairReport,
  type FlairReportInput,
} from "@/server/core/reports/service/report_flair.ts";
import {
  buildReport,
  conclusionOf,
  figuresOf,
  type ReportInput,
} from "@/server/core/reports/service/report_model.ts";
import { atrophyScoreOf } from "@/server/core/reports/service/report_score.ts";

/** Report of a generated study, its sentences in Korean, and its entry in the worklist. */
export interface GeneratedStudy {
  report: ReportResponse;
  /** sentences of the conclusion in the Korean report */
  korean: readonly string[];
  /** finding in the worklist, by default with the site's thresholds */
  listed: StudyFinding;
  /** whether the report's thresholds are those of the worklist */
  hasDefaultThresholds: boolean;
}

const PAGES: readonly PageCode[] = [1, 8, 16, 32, 64, 128, 512];
const STUDY_DATE = "2026-01-01", YEARS_BEFORE = [0.4, 1, 2, 5];
const THRESHOLDS = [DEFAULT_THRESHOLDS, DEFAULT_THRESHOLDS, [1, 5, 25], [10], [2.5], [3, 50]];
const PID = 7;

const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random.uniform() * values.length)]!;
const happens = (random: Random, share: number) => random.uniform() < share;

/** z scores added by a simulated disease: of no part, one part, a lobe, a side, fluid, or all. */
function patternOf(random: Random): Pattern {
  const depth = random.between(-6, 6), side = pick(random, ["L", "R", ""] as const);
  const { group, part } = pick(random, REGIONS);
  const isAt = (label: number) => side === "" || regionOf(label)?.hemisphere === side;
  const patterns: readonly Pattern[] = [
    () => 0,
    (label) => isAt(label) && regionOf(label)?.part === part ? depth : 0,
    (label) => isAt(label) && regionOf(label)?.group === group ? depth / 2 : 0,
    (label) => isAt(label) ? depth / 4 : 0,
    (label) => regionOf(label)?.group === "ventricle" ? Math.abs(depth) : 0,
    (label) => regionOf(label)?.group === "ventricle" ? Math.abs(depth) : -Math.abs(depth) / 2,
    // clearly healthy: every part slightly above the mean, ventricles below
    (label) => regionOf(label)?.group === "ventricle" ? -1 : 1,
  ];
  return pick(random, patterns);
}

function lesionsOf(random: Random): FlairFigures | null {
  if (happens(random, 0.4)) return null;
  const totalMm3 = pick(random, [900, 2999, 3000, 3400, 9600, 17_100, 60_000]) *
    random.between(0.95, 1.05);
  const periMm3 = totalMm3 * random.uniform();
  return {
    periMm3,
    deepMm3: totalMm3 - periMm3,
    whiteMatterMm3: 400_000,
    lesionCount: 1,
    lesions: [{ periMm3, deepMm3: totalMm3 - periMm3, centreRasMm: [20, 10, 20], nearLabel: 37 }],
    isLowConfidence: happens(random, 0.2),
    tissue: "t1",
  };
}

/** Up to three earlier studies; their values differ by the changes since then. */
function visitsOf(
  random: Random,
  now: { volumesMm3: readonly number[]; thicknessSidesMm?: readonly [number, number] },
): LongitudinalResults | null {
  const count = pick(random, [0, 0, 1, 1, 2, 3]);
  if (count === 0) return null;
  const loss = random.between(-0.06, 0.06), [left, right] = now.thicknessSidesMm ?? [0, 0];
  const visit = (pid: number, yearsBefore: number, differences: string[] | null) => ({
    pid,
    studyDate: new Date(Date.parse(STUDY_DATE) - yearsBefore * 365.25 * 86_400_000).toISOString()
      .slice(0, 10),
    volumesMm3: now.volumesMm3.map((mm3, label) =>
      mm3 * (1 + yearsBefore * loss * (regionOf(label)?.group === "ventricle" ? -1 : 1)) *
      (1 + random.between(-0.01, 0.01))
    ),
    thicknessMm: [],
    sideMm: [left, right] as [number, number],
    differences,
  });
  const years = YEARS_BEFORE.slice(0, count).map((years) => years + random.between(0, 0.3));
  const differing = (at: number) => happens(random, 0.2) ? ["scanner"] : at % 3 === 2 ? null : [];
  const before = years.toReversed().map((year, at) =>
    visit(100 + at, year, at === 0 ? [] : differing(at))
  );
  const current = { ...visit(PID, 0, differing(0) ?? []), volumesMm3: [...now.volumesMm3] };
  return { icvMm3: 1_409_000, visits: [...before, { ...current, studyDate: STUDY_DATE }] };
}

/** Local norms of every measure; mostly `null`. */
function methodOfStudy(random: Random): Method {
  const method = methodOf({
    secondOpinion: { isUsed: happens(random, 0.3) },
    thicknessOffsetMm: THICKNESS_OFFSET_MM,
  });
  if (!happens(random, 0.2)) return method;
  const offset = random.between(-0.6, 0.6), scale = random.between(0.9, 1.2);
  return { ...method, localNorms: () => ({ offset, scale, offsetSd: 0.15 }) };
}

/** First finding in the worklist for the study of a seed. */
export const listedOf = (seed: number): StudyFinding => madeOf(seed).listed();

/** The study of a seed; equal seeds give equal studies. */
export function generatedStudy(seed: number): GeneratedStudy {
  const { report, korean, listed, hasDefaultThresholds } = madeOf(seed);
  return { report: report(), korean: korean(), listed: listed(), hasDefaultThresholds };
}

/** Report input for the study of a seed: of a T1w series, or of a FLAIR series alone. */
export const generatedInput = (seed: number): Made["input"] => madeOf(seed).input;

/** Parts of a study, each generated on first use. */
interface Made {
  input: { t1: ReportInput } | { flair: FlairReportInput };
  report(): ReportResponse;
  korean(): readonly string[];
  listed(): StudyFinding;
  hasDefaultThresholds: boolean;
}

/** Results of a head; in a few, the label map lacks a part, a lobe or a hemisphere. */
function withLoss(seed: number, head: Parameters<typeof simulatedFigures>[0]): HeadFigures {
  const figures = simulatedFigures(head), random = new Random(seed + 9_000_000);
  if (!happens(random, 0.06)) return figures;
  const side = pick(random, ["L", "R", ""] as const), kept = pick(random, [0, 0.001, 0.05, 0.3]);
  const { group, part } = pick(random, REGIONS);
  const isLost = pick<Pattern>(random, [
    (label) => Number(regionOf(label)?.part === part),
    (label) => Number(regionOf(label)?.group === group),
    () => 1,
  ]);
  const volumesMm3 = figures.volumesMm3.map((mm3, label) =>
    isLost(label) === 1 && (side === "" ? isLost(0) === 0 : regionOf(label)?.hemisphere === side)
      ? kept * mm3
      : mm3
  );
  return { ...figures, volumesMm3 };
}

function madeOf(seed: number): Made {
  const random = new Random(seed);
  if (happens(random, 0.08)) return flairStudy(random);
  const age = happens(random, 0.05) ? pick(random, [3, 17, 101, null]) : 18 +
    Math.floor(random.uniform() * 80);
  const sex = happens(random, 0.03) ? null : pick<Sex>(random, ["female", "male"]);
  const usualIcv = sex === "male" ? 1596 : 1409;
  const icvMl = usualIcv + 126 * random.normal() * (happens(random, 0.1) ? 3 : 1);
  const hasThickness = happens(random, 0.6), thinning = patternOf(random);
  const figures = withLoss(seed, {
    seed: seed + 1_000_000,
    age: Math.min(99, Math.max(18, age ?? 60)),
    sex: sex ?? "female",
    icvMl,
    pattern: patternOf(random),
    thinning: hasThickness ? thinning : null,
    variation: pick(random, [0, 0.3, 1, 1, 1.5]),
    error: pick(random, [0, 1, 1, 2]),
  });
  const grade = happens(random, 0.08) ? "C" : pick(random, ["A", "A", "B"] as const);
  const thresholds = pick(random, THRESHOLDS), lesions = lesionsOf(random);
  // two of three studies are from an unaccepted scanner, like all studies at a new site
  const isUnaccepted = seed % 3 > 0 && { isUnaccepted: true as const };
  const method = { ...methodOfStudy(random), ...isUnaccepted };
  const longitudinal = visitsOf(random, figures);
  const isExtracted = happens(random, 0.04);
  const input = reportInput({
    pid: PID,
    thresholds,
    pages: PAGES,
    method,
    lesions,
    longitudinal,
    analysis: {
      ...reportInput().analysis,
      ...figures,
      quality: {
        grade,
        warnings: [
          ...grade === "A" ? [] : ["pair_unequal"],
          ...isExtracted ? ["brain_extracted"] : [],
        ],
      },
      hasLesions: lesions !== null,
    },
  }, { age, sex, ...(age === null && { birthDate: null }) });
  const { analysis: t1 } = input;
  const study = figuresOf(input, { t1, flair: lesions });
  const hasDefaultThresholds = thresholds === DEFAULT_THRESHOLDS;
  return {
    input: { t1: input },
    report: () => buildReport(input),
    korean: () => {
      const { normSubject } = study;
      const score = atrophyScoreOf(t1.volumesMm3, normSubject, thresholds, study.subject.method);
      return conclusionOf({ ...input, language: "ko" }, study, score).sentences;
    },
    listed: () =>
      studyFindingOf(
        hasDefaultThresholds
          ? study
          : figuresOf({ ...input, thresholds: DEFAULT_THRESHOLDS }, { t1, flair: lesions }),
        { visits: longitudinal, pid: PID },
      ),
    hasDefaultThresholds,
  };
}

/** A study with only a FLAIR series. */
function flairStudy(random: Random): Made {
  const lesions = lesionsOf(random) ?? { ...flairInput().flair },
    grade = pick(random, ["A", "B", "C"] as const);
  const input = flairInput({ ...lesions, tissue: "flair", grade }, { pages: [1, 128] });
  const study = figuresOf(input, { t1: null, flair: input.flair });
  return {
    input: { flair: input },
    report: () => buildFlairReport(input),
    korean: () => conclusionOf({ pid: PID, language: "ko" }, study, null).sentences,
    listed: () => studyFindingOf(study, { visits: null, pid: PID }),
    hasDefaultThresholds: true,
  };
}
