import { existsSync } from "node:fs";
import * as z from "zod/mini";
import { REGIONS } from "@/model/regions/regions.ts";
import { mean } from "@/bench/engine/score.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import type { Row } from "@/bench/record.ts";

type Make = (
  name: string,
  value: number,
  unit: string,
  given?: Partial<Pick<Row, "bar" | "ok">>,
) => Row;

/** A head, and the same head with a changed structure: entry of `pairs.json` in their folder. */
const Pair = z.object({
  name: z.string(),
  base: z.string(),
  /** FreeSurfer's name of the structure, such as Left-Hippocampus */
  structure: z.string(),
  /** intended loss as a fraction; `null` for a structure that changed only as a consequence */
  fraction: z.nullable(z.number()),
  /** where fluid replaced tissue: at the ventricle's horn or all around; absent: tool's default */
  place: z.optional(z.enum(["horn", "shell"])),
  /** true volumes, mm³; absent: volumes of the labels of both heads */
  before_mm3: z.optional(z.number().check(z.positive())),
  after_mm3: z.optional(z.number().check(z.positive())),
});
type Pair = z.infer<typeof Pair>;

/** @throws {Error} if the file is not a list of pairs. */
export function readPairs(folder: string): Pair[] {
  const path = `${folder}/pairs.json`;
  return existsSync(path) ? z.parse(z.array(Pair), JSON.parse(Deno.readTextFileSync(path))) : [];
}

/** Minimum slope of measured against true change, for structures with a limit. */
const BARS: Readonly<Record<string, number>> = {
  Hippocampus: 0.8,
  "Inf-Lat-Vent": 0.8,
  Caudate: 0.8,
};
const BAR_R2 = 0.9;
const OUR_NAMES: Readonly<Record<string, string>> = {
  "Inf-Lat-Vent": "Inferior lateral ventricle",
  "Lateral-Ventricle": "Lateral ventricle",
  "Cerebral-Cortex": "Cortex",
};

function labelsOfStructure(structure: string): number[] {
  const [side, ...rest] = structure.split("-"),
    name = rest.join("-"),
    hemisphere = side === "Left" ? "L" : "R";
  if (name === "Cerebral-Cortex") {
    return REGIONS.filter((r) => r.label >= 37 && r.hemisphere === hemisphere).map((r) => r.label);
  }
  return REGIONS.filter((r) => r.part === (OUR_NAMES[name] ?? name) && r.hemisphere === hemisphere)
    .map((r) => r.label);
}

interface Change {
  /** ln(volume after / volume before): true, and as measured */
  truth: number;
  ours: number;
  errorMl: number;
}

/** A pair of heads, before and after a loss, with the measured change. */
interface ReadPair extends Pick<Pair, "fraction" | "place"> {
  /** structure without its side */
  part: string;
  change: Change;
}

/** Changes of the pairs for which both heads were measured. */
function readChanges(heads: readonly MeasuredHead[], pairs: readonly Pair[]): ReadPair[] {
  const byName = new Map(heads.map((head) => [head.name, head]));
  return pairs.flatMap(({ name, base, structure, fraction, place, before_mm3, after_mm3 }) => {
    const after = byName.get(name),
      before = byName.get(base),
      labels = labelsOfStructure(structure);
    if (!after || !before || labels.length === 0) return [];
    const sum = (mm3: readonly number[]) =>
      labels.reduce((total, label) => total + (mm3[label] ?? 0), 0);
    const [a, b] = [after_mm3 ?? sum(after.theirsMm3), before_mm3 ?? sum(before.theirsMm3)];
    const [c, d] = [sum(after.oursMm3), sum(before.oursMm3)];
    if (!a || !b || !c || !d) return [];
    const change: Change = {
      truth: Math.log(a / b),
      ours: Math.log(c / d),
      errorMl: Math.abs(c - a) / 1000,
    };
    return [{ part: structure.replace(/^(Left|Right)-/, ""), fraction, place, change }];
  });
}

/** Hippocampal losses reported individually, as fractions: a slope over all would hide a step. */
const SMALL_LOSSES = [0.1, 0.2];
/** Maximum error of such a loss, percentage points; fluid in the horn is easier to see. */
const PLACES: readonly { place: Pair["place"]; name: string; bar: number | null }[] = [
  { place: "horn", name: "at the side of the horn", bar: 3 },
  { place: "shell", name: "all around", bar: 8 },
  { place: undefined, name: "as its variant", bar: null },
];

/** Losses of 10 and 20 % of the hippocampus: mean measured change of each, and largest error. */
function smallLossRows(pairs: readonly ReadPair[], row: Make): Row[] {
  return PLACES.flatMap(({ place, name, bar }) =>
    SMALL_LOSSES.flatMap((loss) => {
      const own = pairs.filter((pair) =>
        pair.part === "Hippocampus" && pair.fraction === loss && pair.place === place
      );
      if (own.length === 0) return [];
      const percent = (ln: number) => 100 * Math.expm1(ln);
      const errors = own.map(({ change }) => percent(change.ours) - percent(change.truth));
      const worst = Math.max(...errors.map(Math.abs));
      const of = `loss of ${100 * loss} % of Hippocampus, ${name} (${own.length})`;
      return [
        row(`${of}: read`, mean(own.map(({ change }) => percent(change.ours))), "%"),
        row(`${of}: mean error`, mean(errors), "points"),
        row(
          `${of}: largest error`,
          worst,
          "points",
          bar === null ? {} : { bar: `≤ ${bar}`, ok: worst <= bar },
        ),
      ];
    })
  );
}

/** Least-squares line through the points: slope, and explained share of the variance (R²). */
export function regression(points: readonly Change[]): { slope: number; r2: number } {
  const mx = mean(points.map((p) => p.truth)), my = mean(points.map((p) => p.ours));
  let xx = 0, xy = 0, yy = 0;
  for (const { truth, ours } of points) {
    xx += (truth - mx) ** 2;
    xy += (truth - mx) * (ours - my);
    yy += (ours - my) ** 2;
  }
  return { slope: xy / xx, r2: xy * xy / (xx * yy) };
}

/** Rows about known changes: slope, R² and mean error by structure, and small losses by place. */
export function changeRows(
  heads: readonly MeasuredHead[],
  pairs: readonly Pair[],
  row: Make,
): Row[] {
  const read = readChanges(heads, pairs), changes = Map.groupBy(read, ({ part }) => part);
  const slopes = [...changes].flatMap(([part, found]) => {
    const points = found.map(({ change }) => change), bar = BARS[part];
    if (points.length < 4) return [];
    const { slope, r2 } = regression(points), of = `change of ${part} (${points.length})`;
    return [
      row(
        `${of}: slope`,
        slope,
        "1",
        bar === undefined ? {} : { bar: `≥ ${bar}`, ok: slope >= bar },
      ),
      row(`${of}: R²`, r2, "1", bar === undefined ? {} : { bar: `≥ ${BAR_R2}`, ok: r2 >= BAR_R2 }),
      row(`${of}: mean error of the volume`, mean(points.map((p) => p.errorMl)), "mL"),
    ];
  });
  return [...slopes, ...smallLossRows(read, row)];
}
