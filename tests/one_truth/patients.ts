// Patients for the tests: six, and two of them again after a reader has corrected the label maps.
import assert from "node:assert/strict";
import type { LinearMeasures } from "@/model/linear/linear_measures.ts";
import { Random } from "@/model/random.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { type Method, PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { readOnFlair } from "@/server/core/analyses/service/files/flair_structures_fixture.ts";
import {
  flairInput,
  fullReport,
  reportInput,
  volumesAt,
} from "@/server/core/reports/service/report_fixture.ts";
import { buildFlairReport } from "@/server/core/reports/service/report_flair.ts";
import { correctedFlair, correctedResults } from "@/server/core/reading/service/corrected.ts";
import type { StoredStroke } from "@/server/core/reading/storage/strokes.ts";
import { DEEP, PERIVENTRICULAR } from "@/model/regions/lesions.ts";
import type { AnalysisResults, FlairResults } from "@/server/core/analyses/storage/analyses.ts";

/** A patient with the engine's results and the report of these results. */
export interface Truth {
  report: ReportResponse;
  results: AnalysisResults | null;
  flair: FlairResults | null;
  /** age in years; `null`: unknown */
  age: number | null;
  /** how results are compared with norms; default: published norms */
  method?: Method;
}

const GRID = { shape: [1, 1, 1] as [number, number, number], rasFromIjkRows: [] };
const lesions = (periMm3: number, deepMm3: number, isLowConfidence: boolean) => ({
  periMm3,
  deepMm3,
  whiteMatterMm3: 401_237.4,
  lesionCount: 3,
  lesions: [
    {
      periMm3,
      deepMm3: deepMm3 - 1203.3,
      centreRasMm: [-30, 10, 24] as [number, number, number],
      place: { site: "periventricular", lobe: "frontal", side: "L" } as LesionPlace,
    },
    {
      periMm3: 0,
      deepMm3: 1200.3,
      centreRasMm: [30, 10, 24] as [number, number, number],
      place: { site: "juxtacortical", lobe: "parietal", side: "R" } as LesionPlace,
    },
    {
      periMm3: 0,
      deepMm3: 3,
      centreRasMm: [30, 10, 24] as [number, number, number],
      place: { site: "deep_white", lobe: "parietal", side: "R" } as LesionPlace,
    },
  ],
  isLowConfidence,
  tissue: "t1" as const,
});
type Lesions = ReturnType<typeof lesions>;
type Grade = FlairResults["grade"];
const flairOf = (
  found: Lesions,
  icvMm3: number | null,
  grade: Grade = "A",
): FlairResults => ({
  ...GRID,
  ...found,
  registration: null,
  t1FromFlairRows: [],
  icvMm3,
  grade,
});

/** Linear measures with values halfway between two printed ones; one could not be measured. */
const LINEAR: LinearMeasures = {
  frontal_horns: { value: 36.449, low: 34.25, high: 38.651, lines: [] },
  inner_skull: { value: 130.4, low: 128, high: 133, lines: [] },
  evans: { value: 0.2796, low: 0.255, high: 0.305, lines: [] },
  third_ventricle: null,
  callosal_angle: { value: 108.5, low: 103.49, high: 112.5, lines: [] },
};

/** Volumes with fractions that different ways of rounding would round differently. */
function truthOf(
  z: (label: number) => number,
  age: number | null,
  longitudinal: boolean,
  {
    found = lesions(6126.4, 2054.6, false),
    grade = "A",
    hypointenseMm3,
    doubted = [],
    method,
    // the child's value is halfway between two printed values, so that different rounding differs
    icvMm3 = age !== null && age < 18 ? 1_024_215 : 1_409_337.5,
  }: {
    found?: Lesions;
    grade?: Grade;
    hypointenseMm3?: number;
    /** labels with uncertain borders */
    doubted?: readonly number[];
    method?: Method;
    icvMm3?: number;
  } = {},
): Truth {
  const volumesMm3 = volumesAt(z).map((mm3, label) => mm3 + (label * 7919 % 1000) / 100);
  if (hypointenseMm3 !== undefined) volumesMm3[28] = hypointenseMm3;
  const results: AnalysisResults = {
    ...GRID,
    volumesMm3,
    icvMm3,
    quality: { grade, warnings: [] },
    thicknessMm: volumesMm3.map((_, label) => label < 37 ? 0 : 2.1 + label * 0.00834),
    thicknessSidesMm: [2.4149, 2.3851],
    hasLesions: true,
    linear: LINEAR,
    ...(doubted.length > 0 && {
      deepStructures: { isUsed: true },
      regionAgreement: {
        deepStructures: volumesMm3.map((_, label) => doubted.includes(label) ? 0.1 : 0.99),
      },
    }),
  };
  const report = fullReport("en", {
    analysis: { ...reportInput().analysis, ...results },
    lesions: { ...found, grade },
    ...(longitudinal ? {} : { longitudinal: null }),
    ...(method && { method }),
  }, { age });
  return { report, results, flair: flairOf(found, null, grade), age, ...(method && { method }) };
}

function flairAlone(
  measured = lesions(6126.4, 2054.6, true),
  grade: Grade = "A",
  icvMm3 = 1_501_234.5,
): Truth {
  const found = { ...measured, tissue: "flair" as const };
  // includes values halfway between two printed ones
  const deepStructures = readOnFlair((label) => label < 7 ? 0 : 1000 + label * 155);
  const flair = {
    ...flairOf(measured, icvMm3, grade),
    tissue: "flair" as const,
    deepStructures,
  };
  const report = buildFlairReport(
    flairInput({ ...found, icvMm3, deepStructures, grade }, {
      pages: [1, 64, 128, 1024],
    }),
  );
  return { report, results: null, flair, age: 70 };
}

/** Label map of 30 × 30 × 30 voxels of 1 mm³ around the first lesion, painted by a reader. */
const PAINTED = {
  shape: [30, 30, 30] as [number, number, number],
  rasFromIjkRows: [1, 0, 0, -45, 0, 1, 0, -5, 0, 0, 1, 9, 0, 0, 0, 1],
};
const voxelOf = (i: number, j: number, k: number) => i + 30 * (j + 30 * k);
const stroke = (id: number, runs: number[], value: number): StoredStroke => ({
  id,
  analysisId: 1,
  runs,
  value,
  createdAt: "2026-01-02T00:00:00Z",
  creator: "Reader",
  isUndone: false,
});

/** A corrected patient: hippocampal voxels changed in side or removed, a lesion removed. */
function corrected({ results, flair, age }: Truth): Truth {
  const labels = new Uint8Array(27_000).fill(19, 0, 3000).fill(20, 3000, 6000),
    mask = new Uint8Array(27_000);
  for (let n = 0; n < 27; n++) {
    const at = [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)] as const;
    mask[voxelOf(14 + at[0], 14 + at[1], 14 + at[2])] = PERIVENTRICULAR;
    mask[voxelOf(24 + at[0], 4 + at[1], 14 + at[2])] = DEEP;
  }
  const gone = [14, 15, 16].flatMap((k) => [4, 5, 6].flatMap((j) => [voxelOf(24, j, k), 3]));
  const now = correctedResults({ ...results!, ...PAINTED }, labels, [
    stroke(1, [1000, 433], 20),
    stroke(2, [5000, 177], 0),
  ]);
  const found = correctedFlair({ ...flair!, ...PAINTED }, mask, [stroke(3, gone, 0)]);
  assert.deepEqual([results!.volumesMm3[19]! - now.volumesMm3[19]!, found.lesionCount], [433, 1]);
  const report = fullReport("en", {
    analysis: { ...reportInput().analysis, ...now },
    lesions: { ...found, lesions: found.lesions! },
    longitudinal: null,
  }, { age });
  return { report, results: now, flair: found, age };
}

/** Labels with uncertain borders: left hippocampus, right inferior horn, both putamina. */
export const DOUBTED = [19, 18, 11, 12];

/** Patients by name; "corrected" ones after a reader has edited their label maps. */
export const PATIENTS: Record<string, Truth> = {
  phantom: truthOf((label) => label * 37 % 60 / 10 - 2.5, 70, false),
  adult: truthOf((label) => label % 5 / 4 - 0.5, 44, false),
  child: truthOf(() => 0.3, 6, false),
  "FLAIR alone": flairAlone(),
  longitudinal: truthOf((label) => -1 - label % 3 / 10, 70, true),
  "regions with uncertain borders": truthOf((label) => label * 37 % 60 / 10 - 2.5, 70, false, {
    doubted: DOUBTED,
  }),
  "scanner without acceptance": truthOf((label) => label * 37 % 60 / 10 - 2.5, 70, false, {
    method: { ...PLAIN_METHOD, isUnaccepted: true },
  }),
  "stopped scanner": truthOf((label) => label * 37 % 60 / 10 - 2.5, 70, false, {
    method: { ...PLAIN_METHOD, isStopped: true },
  }),
  "refused scanner": truthOf((label) => label * 37 % 60 / 10 - 2.5, 70, false, {
    method: { ...PLAIN_METHOD, isStopped: true, isRefused: true, isWithoutVolumes: true },
  }),
  "adult, corrected": corrected(truthOf((label) => label % 5 / 4 - 0.5, 44, false)),
  "phantom, corrected": corrected(truthOf((label) => label * 37 % 60 / 10 - 2.5, 70, false)),
};

/** Volume of label 28, the hypointensities in the T1w label map, mm³. */
export const HYPOINTENSE_MM3 = 35_720;

/**
 * A patient by the analysed series, with a segmentation of the given grade. No other figure has the
 * digits of the lesion volumes: 163.31 mL, periventricular 101.26, deep 62.05.
 */
export const patientsOfGrade = (grade: Grade): Record<string, Truth> => ({
  "T1w and FLAIR": truthOf((label) => label % 5 / 4 - 0.5, 44, false, {
    found: lesions(101_263.4, 62_048.6, false),
    grade,
    hypointenseMm3: HYPOINTENSE_MM3,
  }),
  "FLAIR alone": flairAlone(lesions(101_263.4, 62_048.6, true), grade),
});

/** Patients of several ages and grades with the same intracranial volume, mm³. */
export const patientsOfIcv = (icvMm3: number): Record<string, Truth> => ({
  adult: truthOf((label) => label % 5 / 4 - 0.5, 44, true, { icvMm3 }),
  child: truthOf(() => 0.3, 6, false, { icvMm3 }),
  "grade C": truthOf(() => 0, 44, false, { icvMm3, grade: "C" }),
  "stopped scanner": truthOf(() => 0, 44, false, {
    icvMm3,
    method: { ...PLAIN_METHOD, isStopped: true },
  }),
  "FLAIR alone": flairAlone(lesions(6126.4, 2054.6, false), "A", icvMm3),
});

/** Patients with known sex, but without an age in the range of the norms, with this ICV in mm³. */
export const patientsWithoutNormAge = (icvMm3: number): Record<string, Truth> => ({
  "unknown age": truthOf((label) => label % 5 / 4 - 0.5, null, false, { icvMm3 }),
  "age above the norms": truthOf((label) => label % 5 / 4 - 0.5, 104, false, { icvMm3 }),
});

const DISEASES: readonly ((label: number) => number)[] = [
  () => 0,
  // atrophy of: one hippocampus, both, one temporal lobe, ventricles only, everywhere, one small
  // part
  (label) => label === 19 ? -4 : 0,
  (label) => label === 19 || label === 20 ? -3 : 0,
  (label) => regionOf(label)?.group === "temporal" && regionOf(label)?.hemisphere === "R" ? -3 : 0,
  (label) => regionOf(label)?.group === "ventricle" ? 3.5 : 0,
  (label) => regionOf(label)?.group === "ventricle" ? 2.5 : -2.5,
  (label) => label === 41 ? -6 : 0,
];

/**
 * A patient from a number, which selects in turn: disease, age from 18 to 95, head size, grade,
 * withheld regions, stopped or unaccepted scanner, and earlier studies.
 */
export function constructedPatient(seed: number): Truth {
  const random = new Random(seed), disease = DISEASES[seed % DISEASES.length]!;
  const noise = Array.from({ length: 105 }, () => random.between(-0.8, 0.8));
  const states: readonly Partial<Method>[] = [{}, {}, { isStopped: true }, { isUnaccepted: true }];
  const peri = random.between(3000, 20_000), deep = random.between(2000, 9000);
  return truthOf(
    (label) => disease(label) + noise[label]!,
    Math.round(random.between(18, 95)),
    seed % 3 === 0,
    {
      found: lesions(peri, deep, seed % 11 === 0),
      grade: (["A", "A", "B", "A", "C"] as const)[seed % 5]!,
      doubted: seed % 4 === 1 ? DOUBTED : [],
      method: { ...PLAIN_METHOD, ...states[Math.floor(seed / 2) % 4] },
      icvMm3: random.between(950_000, 1_900_000),
    },
  );
}
