import { EXAMPLE_TEXTS } from "@/model/norms/imported/cells.ts";
import { errorOf, PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import type { NormTable } from "@/model/norms/imported/table.ts";
import { tableNormsOf } from "@/model/norms/imported/table.ts";
import { normOfMeasure } from "@/model/regions/measures.ts";
import { ICV_MEAN_ML, type Measure, type Norm, type Sex, valueAt } from "@/model/norms/norms.ts";

/** z of the 5th, 50th and 95th percentile. */
const ZS = [-1.6448536, 0, 1.6448536] as const;

/** Percentiles of a measure at an age, mL or mm. */
export interface PlottedAge {
  age: number;
  imported: readonly [p5: number, p50: number, p95: number];
  published: readonly [p5: number, p50: number, p95: number];
}

/**
 * Imported and published norms of a measure by age, at the ICV of the sex; empty without norms.
 * Both as this engine would measure them.
 */
export function plottedOf(
  table: NormTable,
  measure: Measure,
  key: string,
  sex: Sex,
): { icvMl: number; ages: PlottedAge[] } {
  const norms = tableNormsOf(table), bias = errorOf(measure, key, PLAIN_METHOD)?.bias ?? 0;
  const icvs = table.curves.find((curve) => curve.measure === measure && curve.key === key)
    ?.icvsMl ?? [];
  const icvMl = Math.min(
    icvs.at(-1) ?? ICV_MEAN_ML[sex],
    Math.max(icvs[0] ?? 0, ICV_MEAN_ML[sex]),
  );
  const measured = (norm: Norm, ownBias: number) =>
    ZS.map((z) => {
      const value = valueAt(z, norm);
      return measure === "volume" ? value * Math.exp(ownBias) / 1000 : value + ownBias;
    }) as [number, number, number];
  const ages: PlottedAge[] = [];
  for (let age = 18; age <= 100; age++) {
    const subject = { age, sex, icvMl }, imported = norms.normOf(measure, key, subject);
    const published = normOfMeasure(key, measure, subject);
    if (!imported || !published) continue;
    ages.push({
      age,
      imported: measured(imported, norms.isOwnMethod ? 0 : bias),
      published: measured(published, bias),
    });
  }
  return { icvMl, ages };
}

/**
 * Largest difference of the medians, percent of the published median; `null` without common ages.
 */
export function largestDifference(ages: readonly PlottedAge[]) {
  let largest: { age: number; percent: number } | null = null;
  for (const { age, imported, published } of ages) {
    const percent = 100 * (imported[1] / published[1] - 1);
    if (!largest || Math.abs(percent) > Math.abs(largest.percent)) largest = { age, percent };
  }
  return largest;
}

/**
 * An example file in the format of the import: published norms of the hippocampus for both sexes
 * and two values of the ICV.
 */
export function exampleTable(): string {
  const rows = (["left", "right"] as const).flatMap((side, at) =>
    (["male", "female"] as const).flatMap((sex) =>
      [20, 30, 40, 50, 60, 70, 80, 90].flatMap((age) =>
        [1200, 1800].map((icvMl) => {
          const norm = normOfMeasure(String(19 + at), "volume", { age, sex, icvMl })!;
          const ml = (mm3: number) => (mm3 / 1000).toFixed(3);
          return `volume,hippocampus,${side},${sex},${age},${icvMl},${ml(norm.mean)},${
            ml(norm.sd)
          }`;
        })
      )
    )
  );
  return [
    "# title: Example",
    `# source: ${EXAMPLE_TEXTS.source}`,
    `# licence: ${EXAMPLE_TEXTS.licence}`,
    "# software: freesurfer",
    "# Volumes in mL by icv (mL); thickness in mm without icv. Instead of mean and sd: p5,p50,p95",
    "measure,region,side,sex,age,icv,mean,sd",
    ...rows,
    "",
  ].join("\n");
}
