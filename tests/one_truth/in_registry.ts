import { intervalDigits, percentileDigits } from "@/model/norms/rank_format.ts";
import { hasPercentile, PARTS } from "@/model/regions/regions.ts";
import { cellAt } from "@/model/registry/cells.ts";
import { registryColumns, registryHead, registryRow } from "@/model/registry/columns.ts";
import type { RegistryFigures } from "@/model/schema/report/registry.ts";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { type Printed, SIDES, two } from "@/tests/one_truth/figures.ts";
import type { Truth } from "@/tests/one_truth/patients.ts";

/** Cells of a file for a registry, by their heads. */
export function registryCells({ results, flair, age, method }: Truth, figures: RegistryFigures) {
  const patient = {
    patient_birthdate: null,
    study_date: null,
    patient_age: age,
    patient_sex: "female" as const,
  };
  const place = { person: "x", age, sex: "female" as const, year: 2026, engine: null };
  const nothing = { manufacturer: null, model: null, fieldT: null, voxelMm: null };
  const columns = registryColumns(figures, false),
    row = registryRow(columns, {
      cell: cellAt({ ...place, ...nothing }, 0),
      figures: measureStudy({ patient, t1: results, flair, method }),
      t1Status: results && "completed",
      flairStatus: flair && "completed",
      text: null,
      textWithheld: null,
    });
  return new Map(registryHead(columns).map((head, n) => [head, row[n]!]));
}

/** Every figure of a file for a registry. */
export function inRegistry(truth: Truth): Printed[] {
  const volumes = registryCells(truth, "volumes"), ranks = registryCells(truth, "percentiles");
  const out: Printed[] = [["ICV", "registry", two(volumes.get("results.icv_ml"))]];
  for (const { part, labels } of truth.results ? PARTS : []) {
    const key = part.toLowerCase().replaceAll(" ", "_");
    if (!volumes.has(`results.${key}_total_ml`)) continue;
    for (const side of SIDES) {
      out.push([`${part} ${side}`, "registry", two(volumes.get(`results.${key}_${side}_ml`))]);
    }
    const [percentile, low, high] = ["", "_lower_limit", "_upper_limit"].map((end) =>
      ranks.get(`results.${key}_total_percentile${end}`)
    );
    if (typeof low !== "number" || !hasPercentile(labels[0])) continue;
    const shown = intervalDigits({ low, high: Number(high) }, "en");
    const digits = typeof percentile === "number" ? percentileDigits(percentile) : null;
    out.push([
      `${part} percentile`,
      "registry",
      digits === null ? shown : digits === shown ? digits : `${digits}, ${shown}`,
    ]);
  }
  for (const key of truth.results ? ["cortex", "frontal", "temporal", "occipital"] : []) {
    for (const side of SIDES) {
      out.push([`${key} ${side}`, "registry", two(volumes.get(`results.${key}_${side}_ml`))]);
    }
  }
  const wmh = volumes.get("results.wmh_ml");
  if (truth.flair && wmh !== null) {
    out.push(
      ["WMH", "registry", two(wmh)],
      ["deep WMH", "registry", two(volumes.get("results.wmh_deep_ml"))],
      ["periventricular WMH", "registry", two(volumes.get("results.wmh_periventricular_ml"))],
      ["lesions", "registry", String(volumes.get("results.lesion_count"))],
    );
  }
  return out;
}
