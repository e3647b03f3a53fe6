import table from "@/model/regions/regions.json" with { type: "json" };

export type Hemisphere = "L" | "R" | "";
export type RegionGroup =
  | "white matter"
  | "cerebellum"
  | "deep grey"
  | "ventricle"
  | "medial temporal"
  | "brain stem"
  | "corpus callosum"
  | "frontal"
  | "parietal"
  | "temporal"
  | "occipital"
  | "cingulate"
  | "insula";

/** One label of the label map, 1..104. Sides are the patient's. */
export interface Region {
  label: number;
  name: string;
  abbreviation: string;
  hemisphere: Hemisphere;
  group: RegionGroup;
  /** Name that the left and the right label of a region share. */
  part: string;
  freesurferId: number;
  rgb: readonly [number, number, number];
}

/** One row of regions.json, with the values in the order of the columns. */
type RegionRow = readonly [
  label: number,
  name: string,
  abbreviation: string,
  hemisphere: Hemisphere,
  group: RegionGroup,
  part: string,
  freesurferId: number,
  red: number,
  green: number,
  blue: number,
];

export const REGIONS: readonly Region[] = (table.rows as unknown as readonly RegionRow[]).map((
  r,
) => ({
  label: r[0],
  name: r[1],
  abbreviation: r[2],
  hemisphere: r[3],
  group: r[4],
  part: r[5],
  freesurferId: r[6],
  rgb: [r[7], r[8], r[9]],
}));

/** Number of label values including background: 0..104. */
export const LABEL_COUNT = 105;

const byLabel = new Map(REGIONS.map((r) => [r.label, r]));

/** The region of a label value; `undefined` for 0 and for values without a region. */
export const regionOf = (label: number): Region | undefined => byLabel.get(label);

/** One row of a report: a midline region or a left/right pair. */
export interface Part {
  part: string;
  group: RegionGroup;
  /** labels of the row: [left, right] or [midline] */
  labels: readonly [number] | readonly [number, number];
}

export const PARTS: readonly Part[] = (() => {
  const parts = new Map<string, Region[]>();
  for (const region of REGIONS) parts.set(region.part, [...(parts.get(region.part) ?? []), region]);
  return [...parts.values()].map((rows) => {
    const leftRegion = rows.find((r) => r.hemisphere === "L"),
      right = rows.find((r) => r.hemisphere === "R");
    const labels = leftRegion && right
      ? [leftRegion.label, right.label] as const
      : [rows[0]!.label] as const;
    return { part: rows[0]!.part, group: rows[0]!.group, labels };
  });
})();

/** Labels of fluid, of which high percentiles are marked (D2 §9). */
export const isInverted = (label: number): boolean =>
  (label >= 15 && label <= 18) || (label >= 25 && label <= 28);

/** Labels that this atlas measures well enough for a percentile. */
export const hasPercentile = (label: number): boolean =>
  label !== 27 && label !== 28 && !(label >= 32 && label <= 36);

/**
 * Whether a label is printed as a volume.
 * The fluid around the brain and the parts of the callosum are not measured.
 */
export const isMeasured = (label: number): boolean => label === 28 || hasPercentile(label);

export const isCortex = (label: number): boolean => label >= 37 && label <= 104;

/** Brain tissue and ventricles: every label but the background and the CSF around the brain. */
export const isBrain = (label: number): boolean => label >= 1 && label <= 104;
