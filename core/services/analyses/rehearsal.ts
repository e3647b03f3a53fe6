import { isMeasured, REGIONS } from "@/model/regions/regions.ts";
import type { Database } from "@/core/storage/database/database.ts";
import { type AnalysisResults, listRehearsable, type RehearsableAnalysis } from "@/core/storage/analyses.ts";

/** What another engine measured on the same volume, as `deno task analyze` writes it into result.json. */
export interface Remeasured {
  version: string;
  icv_mm3: number;
  volumes: { label: number; mm3: number }[];
  mean_thickness_mm: { left: number; right: number } | null;
}

/** A measure that another engine gives another value. */
export interface Change {
  /** region's name, `ICV`, or cortical thickness of a side */
  name: string;
  before: number;
  after: number;
  unit: "mm³" | "mm";
}

/** Every measure of a stored result that differs from another engine's: not by a bit, it is the same. */
export function changesOf(stored: AnalysisResults, next: Remeasured): Change[] {
  const after = new Map(next.volumes.map(({ label, mm3 }) => [label, mm3]));
  const regions = REGIONS.filter(({ label }) => isMeasured(label) && after.has(label)).map((
    { label, name },
  ): Change => ({ name, before: stored.volumesMm3[label]!, after: after.get(label)!, unit: "mm³" }));
  const [left, right] = stored.thicknessSidesMm ?? [];
  const thickness = left === undefined || right === undefined || next.mean_thickness_mm === null ? [] : [
    { name: "Thickness, left", before: left, after: next.mean_thickness_mm.left, unit: "mm" as const },
    { name: "Thickness, right", before: right, after: next.mean_thickness_mm.right, unit: "mm" as const },
  ];
  const icv: Change = { name: "ICV", before: stored.icvMm3, after: next.icv_mm3, unit: "mm³" };
  return [...regions, icv, ...thickness].filter(({ before, after }) => before !== after);
}

/** The newest results of T1w series alone, each of another patient's study. */
export const sampleOf = (db: Database, count: number): Promise<RehearsableAnalysis[]> =>
  listRehearsable(db, count);
