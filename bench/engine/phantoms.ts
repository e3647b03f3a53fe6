import { PARTS } from "@/model/regions/regions.ts";
import type { Row } from "@/bench/record.ts";
import {
  atLeast,
  atMost,
  attempt,
  beside,
  costRows,
  figure,
  measure,
  stageRows,
} from "@/bench/engine/measure.ts";
import { diceOfSet, labelRows, mean } from "@/bench/engine/score.ts";
import {
  type Condition,
  CONDITIONS,
  FEW_CONDITIONS,
  headOf,
  scanFlair,
  scanT1,
} from "@/server/commands/demo/phantom/conditions.ts";
import { makeHead, movedHead } from "@/server/commands/demo/phantom/head.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import { lesionsOn } from "@/server/commands/demo/phantom/lesions.ts";
import { thicknessOf } from "@/server/commands/demo/phantom/thickness.ts";
import { truthOn } from "@/server/commands/demo/phantom/truth.ts";

/**
 * Minimum Dice of the labels of a phantom. Single cortical parcels have no limit: a phantom's folds
 * are random, so that an atlas cannot find their borders.
 */
const BARS = {
  brain: 0.93,
  cortex: 0.7,
  "cerebral white matter": 0.85,
  "lateral ventricles": 0.85,
  hippocampus: 0.65,
};

const USUAL = CONDITIONS[0]!;

async function rowsOfCondition(name: string, condition: Condition): Promise<Row[]> {
  const head = headOf(condition), measured = await measure(scanT1(head, condition));
  const result = measured.outcome.t1!;
  const truth = truthOn(head, result.shape, result.rasFromIjk).labels;
  return [
    ...costRows(name, measured, true),
    ...condition === USUAL ? stageRows(name, result.stages) : [],
    ...labelRows(name, result.labels, truth, 1, BARS),
    figure(`${name}: correlation with the template`, result.quality.ncc, "1"),
  ];
}

/** Dice and volumes of one head under each condition, and each volume's spread over conditions. */
export async function conditionRows(isFull: boolean, wanted: string | undefined): Promise<Row[]> {
  const rows: Row[] = [];
  for (const condition of isFull ? CONDITIONS : FEW_CONDITIONS) {
    const name = `phantom, ${condition.name}`;
    if (wanted !== undefined && !name.includes(wanted)) continue;
    rows.push(...await attempt(name, () => rowsOfCondition(name, condition)));
  }
  return rows;
}

async function rowsOfThickness(name: string, thicknessMm: number): Promise<Row[]> {
  const head = makeHead({ corticalThicknessMm: thicknessMm / 0.95, isRibbonWhole: true });
  const { builtMm } = thicknessOf(head);
  const { offsetMm, ...thickness } = (await measure(scanT1(head, USUAL))).outcome.t1!.thickness!;
  const regions = PARTS.flatMap(({ labels }) => labels).filter((label) => label >= 37);
  const errors = regions.map((label) => thickness.meanMm[label]! + offsetMm - builtMm);
  return [
    // without the offset to FreeSurfer's surfaces, as the truth is the phantom's geometry
    beside(`${name}: left`, thickness.leftMm + offsetMm, "mm", builtMm),
    beside(`${name}: right`, thickness.rightMm + offsetMm, "mm", builtMm),
    figure(`${name}: mean error of the regions`, mean(errors), "mm"),
    atMost(`${name}: mean absolute error of the regions`, mean(errors.map(Math.abs)), "mm", 0.45),
  ];
}

/** Mean thickness of phantoms with a known cortical thickness. */
export async function thicknessRows(wanted: string | undefined): Promise<Row[]> {
  const rows: Row[] = [];
  for (const thicknessMm of [2, 3, 4]) {
    const name = `phantom, cortex of ${thicknessMm} mm`;
    if (wanted !== undefined && !name.includes(wanted)) continue;
    rows.push(...await attempt(name, () => rowsOfThickness(name, thicknessMm)));
  }
  return rows;
}

interface LesionCase {
  name: string;
  head: () => Head;
  sliceMm: number;
  condition: Condition;
}

const LESION_CASES: readonly LesionCase[] = [
  {
    name: "lesions of 8 mL",
    head: () =>
      makeHead({
        seed: 3,
        lesionsMl: [2, 1.5, 1.2, 1, 0.8, 0.6, 0.5, 0.4],
        lesionSites: ["periventricular", "periventricular", "deep", "deep", "anywhere", "deep"],
      }),
    sliceMm: 3,
    condition: USUAL,
  },
  {
    name: "lesions of 2.5 mL, slices of 5 mm",
    head: () =>
      makeHead({
        seed: 5,
        lesionsMl: [0.8, 0.6, 0.4, 0.4, 0.3],
        lesionSites: ["periventricular", "deep", "deep", "anywhere", "periventricular"],
      }),
    sliceMm: 5,
    condition: { ...USUAL, noisePercent: 5, biasPercent: 30 },
  },
  { name: "no lesions", head: () => makeHead({ seed: 6 }), sliceMm: 3, condition: USUAL },
];

/** Maximum lesion volume in a phantom without lesions, mL; minimum Dice, and volume tolerance. */
const NO_LESIONS_ML = 1.5, DICE_BAR = 0.8, VOLUME_TOLERANCE = 0.25;

async function rowsOfLesions(
  name: string,
  { head: make, sliceMm, condition }: LesionCase,
): Promise<Row[]> {
  const head = make(), moved = movedHead(head, [2, -3, 4], [3, -2, 4]);
  const flair = scanFlair(moved, sliceMm, condition);
  const measured = await measure(scanT1(head, condition), flair);
  const { flair: result, failures } = measured.outcome;
  if (!result) {
    return [{ ...figure(`${name}: FLAIR failed: ${failures.flair?.reason}`, 0, "1"), ok: false }];
  }
  const truth = lesionsOn(moved, flair.shape, flair.rasFromIjk);
  const total = (result.periMm3 + result.deepMm3) / 1000;
  const dice = (isOf: (value: number) => boolean) =>
    diceOfSet(result.scannerMask, truth.mask, isOf);
  const cost = costRows(name, measured, false);
  if (truth.totalMl === 0) return [...cost, atMost(`${name}: lesions`, total, "mL", NO_LESIONS_ML)];
  return [
    ...cost,
    atLeast(`${name}: lesions: Dice`, dice((value) => value > 0), "1", DICE_BAR),
    beside(`${name}: lesions: volume`, total, "mL", truth.totalMl, VOLUME_TOLERANCE),
    beside(`${name}: periventricular: volume`, result.periMm3 / 1000, "mL", truth.periMl),
    beside(`${name}: deep: volume`, result.deepMm3 / 1000, "mL", truth.deepMl),
    figure(`${name}: periventricular: Dice`, dice((value) => value === 1), "1"),
    figure(`${name}: deep: Dice`, dice((value) => value === 2), "1"),
  ];
}

/** Lesions on a FLAIR with other orientation and slices, for which the head moved after the T1w. */
export async function lesionRows(wanted: string | undefined): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of LESION_CASES) {
    const name = `phantom, ${one.name}`;
    if (wanted !== undefined && !name.includes(wanted)) continue;
    rows.push(...await attempt(name, () => rowsOfLesions(name, one)));
  }
  return rows;
}
