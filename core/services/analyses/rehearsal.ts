import { isMeasured, regionOf, REGIONS } from "@/model/regions/regions.ts";
import type { Database } from "@/core/storage/database/database.ts";
import { listRehearsable, type RehearsableAnalysis } from "@/core/storage/analyses.ts";

/** What an engine measured on the same volumes, as `deno task analyze` writes it into result.json. */
export interface Remeasured {
  version: string;
  icv_mm3: number;
  volumes: { label: number; mm3: number }[];
  mean_thickness_mm: { left: number; right: number } | null;
  /** index = label; absent in the results of engines before 0.4.0 */
  thickness_by_label_mm?: number[] | null;
  wmh: { peri_mm3: number; deep_mm3: number } | null;
}

/** A measure that another engine gives another value. */
export interface Change {
  /** region's name, `ICV`, cortical thickness of a side or region, or white matter hyperintensities */
  name: string;
  before: number;
  after: number;
  unit: "mm³" | "mm";
}

/** Every measure of a stored result that differs from an engine's: not by a bit, it is the same. */
export function changesOf(
  { results: stored, flair }: Pick<RehearsableAnalysis, "results" | "flair">,
  next: Remeasured,
): Change[] {
  const after = new Map(next.volumes.map(({ label, mm3 }) => [label, mm3]));
  const regions = REGIONS.filter(({ label }) => isMeasured(label) && after.has(label)).map((
    { label, name },
  ): Change => ({ name, before: stored.volumesMm3[label]!, after: after.get(label)!, unit: "mm³" }));
  const icv: Change = { name: "ICV", before: stored.icvMm3, after: next.icv_mm3, unit: "mm³" };
  const pairs: Change[] = [...regions, icv], [left, right] = stored.thicknessSidesMm ?? [];
  if (left !== undefined && right !== undefined && next.mean_thickness_mm !== null) {
    pairs.push({ name: "Thickness, left", before: left, after: next.mean_thickness_mm.left, unit: "mm" });
    pairs.push({ name: "Thickness, right", before: right, after: next.mean_thickness_mm.right, unit: "mm" });
  }
  for (const [label, mm] of (next.thickness_by_label_mm ?? []).entries()) {
    const before = stored.thicknessMm?.[label], region = regionOf(label);
    if (before !== undefined && region) {
      pairs.push({ name: `Thickness, ${region.name}`, before, after: mm, unit: "mm" });
    }
  }
  if (flair && next.wmh) {
    const { periMm3, deepMm3 } = flair.results;
    pairs.push({ name: "WMH, periventricular", before: periMm3, after: next.wmh.peri_mm3, unit: "mm³" });
    pairs.push({ name: "WMH, deep", before: deepMm3, after: next.wmh.deep_mm3, unit: "mm³" });
  }
  return pairs.filter(({ before, after }) => before !== after);
}

/** The newest results of T1w series, with their FLAIR series, each of another study. */
export const sampleOf = (db: Database, count: number): Promise<RehearsableAnalysis[]> =>
  listRehearsable(db, count);
