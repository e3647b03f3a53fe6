import { mean } from "@/bench/engine/score.ts";
import { medianError } from "@/bench/truth/error_model.ts";
import { type MeasuredHead, withoutOpinion } from "@/bench/truth/measured_head.ts";
import type { Row } from "@/bench/record.ts";
import { hasPercentile, LABEL_COUNT } from "@/model/regions/regions.ts";

type Make = (
  name: string,
  value: number,
  unit: string,
  given?: Partial<Pick<Row, "bar" | "ok">>,
) => Row;

const LABELS = Array.from({ length: LABEL_COUNT }, (_, label) => label).filter((label) =>
  label > 0
);

/** Mean Dice of the regions in the truth; 28 is left out, as it is measured on FLAIR only. */
export function regionDice(head: MeasuredHead): number {
  const isCounted = (label: number) =>
    label !== 28 && (head.hasParcels || label < 37) && head.theirsMm3[label]! > 0;
  return mean(LABELS.filter(isCounted).map((label) => head.dice[label] ?? 0));
}

/** Minimum mean Dice, and maximum loss relative to the good image of the same head. */
const MIN_DICE = 0.7, MAX_LOSS = 0.05;
/** Maximum volume error of cortex or white matter relative to the good image, as ln. */
const MAX_ERROR = 0.1;

/**
 * Whether a result is unusable: mean Dice of the regions below .70 or, for a degraded image, .05
 * below that of the good image; or volume of cortex or white matter wrong by more than a tenth.
 */
export function isUnusable(head: MeasuredHead, good: MeasuredHead | undefined): boolean {
  const dice = regionDice(head);
  if (dice < MIN_DICE || (good && dice < regionDice(good) - MAX_LOSS)) return true;
  return [[1, 2], [37, 104]].some(([from, to]) => {
    const ratio = ({ oursMm3, theirsMm3 }: MeasuredHead) => {
      const sum = (mm3: readonly number[]) => mm3.slice(from, to! + 1).reduce((a, b) => a + b, 0);
      return sum(oursMm3) / sum(theirsMm3);
    };
    return Math.abs(Math.log(ratio(head) / (good ? ratio(good) : 1))) > MAX_ERROR;
  });
}

const thicknessErrors = (head: MeasuredHead): number[] =>
  head.thickness.filter(({ key }) => !key.startsWith("thickness")).map(({ ours, theirs }) =>
    ours - theirs
  );

/** Rows about one head. */
export function headRows(head: MeasuredHead, row: Make): Row[] {
  const of = `${head.name} (grade ${head.grade})`;
  const labels = LABELS.filter((l) => hasPercentile(l) && (head.hasParcels || l < 37));
  const thickness = thicknessErrors(head),
    plain = head.opinion === "agreed" ? withoutOpinion(head) : null;
  return [
    row(
      `${of}: second opinion ${head.opinion ?? "not asked"}: regions: mean Dice`,
      regionDice(head),
      "1",
    ),
    ...(plain
      ? [
        row(`${of}: without the second opinion: regions: mean Dice`, regionDice(plain), "1"),
        row(
          `${of}: without the second opinion: regions: median volume error`,
          medianError(plain, labels),
          "%",
        ),
      ]
      : []),
    ...Object.entries(head.groups).map(([group, dice]) => row(`${of}: ${group}: Dice`, dice, "1")),
    row(`${of}: regions: median volume error`, medianError(head, labels), "%"),
    ...(head.seconds > 0 ? [row(`${of}: seconds`, head.seconds, "s")] : []),
    ...(thickness.length < 10 ? [] : [
      row(`${of}: parcels: thickness, bias as its engine read it`, mean(thickness), "mm"),
      row(`${of}: parcels: thickness, mean absolute error`, mean(thickness.map(Math.abs)), "mm"),
    ]),
  ];
}

/** Acceptance limits over all heads: Dice, grade, and time on two cores. */
export function barRows(heads: readonly MeasuredHead[], row: Make): Row[] {
  const graded = heads.filter(({ grade }) => grade === "A"),
    least = Math.floor(heads.length * 7 / 8);
  const rows = [row(`heads of grade A (of ${heads.length}, all ordinary)`, graded.length, "heads", {
    bar: `≥ ${least}`,
    ok: graded.length >= least,
  })];
  for (
    const [name, isAsked, dice, seconds] of [
      ["with the second opinion", true, 0.775, 60],
      ["without it", false, 0.755, 18],
    ] as const
  ) {
    const measured = heads.flatMap((head) =>
      (isAsked ? (head.opinion === "agreed" ? head : null) : withoutOpinion(head)) ?? []
    );
    const own = measured.filter(({ hasParcels }) => hasParcels);
    const timed = measured.filter(({ cpuSeconds }) => cpuSeconds);
    if (own.length > 0) {
      const value = mean(own.map(regionDice));
      rows.push(row(`${name}: 103 regions: mean Dice (${own.length} heads)`, value, "1", {
        bar: `≥ ${dice}`,
        ok: value >= dice,
      }));
    }
    if (timed.length > 0) {
      const value = mean(timed.map((head) => head.cpuSeconds! / 2));
      rows.push(row(`${name}: processor time of an analysis on two cores`, value, "s", {
        bar: `≤ ${seconds}`,
        ok: value <= seconds,
      }));
    }
  }
  return rows;
}
