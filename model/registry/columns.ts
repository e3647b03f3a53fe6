// Columns of a file for a registry, in the four categories of the ACR's registry Assess-AI.
import { isScannerReason } from "@/model/measured/region_data.ts";
import { PARTS } from "@/model/regions/regions.ts";
import { printedInterval, printedPercentile, shownRank } from "@/model/norms/rank_format.ts";
import type { MeasuredStudy } from "@/model/measured/measured_study.ts";
import { COARSEST, hasOpenBand, type RegistryCell, WITHHELD_CELL } from "@/model/registry/cells.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import type { RegistryFigures } from "@/model/schema/report/registry.ts";

/** Value in a cell of a registry file; `null`: unknown, not measured or withheld. */
export type RegistryValue = string | number | null;

/** Data of one study for a registry file. */
export interface RegistryStudy {
  cell: RegistryCell;
  figures: MeasuredStudy;
  t1Status: string | null;
  flairStatus: string | null;
  /** signed text of the report; `null`: none, withheld or not asked for */
  text: string | null;
  /** reason why a signed text is withheld; `null` if it is not withheld */
  textWithheld: string | null;
}

const CATEGORIES = ["study", "results", "demographics", "report"] as const;
export interface RegistryColumn {
  category: (typeof CATEGORIES)[number];
  key: string;
  /** unit or possible values of the column, for the documentation of the file */
  meaning: string;
  of: (study: RegistryStudy) => RegistryValue;
}

const round2 = (value: number) => Math.round(100 * value) / 100;
const STRUCTURES = [
  "Hippocampus",
  "Amygdala",
  "Entorhinal",
  "Thalamus",
  "Caudate",
  "Putamen",
  "Pallidum",
  "Lateral ventricle",
  "Inferior lateral ventricle",
] as const;
const SUMS = [
  "cortex",
  "white_matter",
  "frontal",
  "parietal",
  "temporal",
  "occipital",
  "cingulate",
  "insula",
] as const;
const SIDES = ["left", "right", "total"] as const;
const keyOf = (name: string) => name.toLowerCase().replaceAll(" ", "_");

const study = (
  key: string,
  meaning: string,
  of: (cell: RegistryCell) => RegistryValue,
): RegistryColumn => ({ category: "study", key, meaning, of: ({ cell }) => of(cell) });
const result = (
  key: string,
  meaning: string,
  of: RegistryColumn["of"],
): RegistryColumn => ({ category: "results", key, meaning, of });

const STUDY: readonly RegistryColumn[] = [
  study("modality", "always MR", () => "MR"),
  study("body_part", "always BRAIN", () => "BRAIN"),
  study("software", "always Sulcus", () => "Sulcus"),
  study("engine_version", "of the T1w result, else of the FLAIR result", ({ engine }) => engine),
  study("year", "of the examination", ({ year }) => year),
  study("manufacturer", "of the scanner, of a fixed list", ({ manufacturer }) => manufacturer),
  study("model", "of the scanner, of a fixed list; no serial number", ({ model }) => model),
  study("field_strength_t", "field strength, T", ({ fieldT }) => fieldT),
  study("voxel_mm", "longest edge of a voxel, mm, rounded up to 0.5", ({ voxelMm }) => voxelMm),
  study(
    "detail_withheld",
    `0: none; ${COARSEST}: everything is withheld that too few people share`,
    ({ level }) => level,
  ),
];

const DEMOGRAPHICS: readonly RegistryColumn[] = [
  {
    category: "demographics",
    key: "age_band",
    meaning: "years",
    of: ({ cell }) => cell.ageBand,
  },
  { category: "demographics", key: "sex", meaning: "female or male", of: ({ cell }) => cell.sex },
];

/**
 * Demographics and acquisition that a row may show. In a file of percentiles, rows of
 * a stopped scanner are recognised by the missing percentiles: all their attributes are withheld.
 */
export const shownCell = (
  cell: RegistryCell,
  { normReason }: MeasuredStudy,
  figures: RegistryFigures,
): RegistryCell => figures === "percentiles" && isScannerReason(normReason) ? WITHHELD_CELL : cell;

/**
 * Warning codes of the engine; absent where voxel sizes are withheld, which some codes reveal.
 * Codes of the scanner's state would reveal the scanner, and those of the norms the age.
 */
const warningsOf = ({ figures, cell }: RegistryStudy): string | null => {
  const { quality, t1, normWarnings } = figures;
  if (!t1 || !quality || cell.level > 0) return null;
  const engine = quality.warnings.filter((code) => !normWarnings.includes(code));
  return engine.filter((code) => /^[a-z0-9_]{1,60}$/.test(code) && !code.startsWith("scanner_"))
    .join(" ");
};

const QUALITY: readonly RegistryColumn[] = [
  result("t1_status", "completed, failed or empty", ({ t1Status }) => t1Status),
  result("flair_status", "completed, failed or empty", ({ flairStatus }) => flairStatus),
  result(
    "t1_segmentation_quality",
    "A, B or C of the T1w result",
    ({ figures }) => figures.quality?.grade ?? null,
  ),
  result("warnings", "codes, separated by spaces; absent where voxels are withheld", warningsOf),
  result(
    "percentiles_withheld",
    "quality: the reason why there are no percentiles",
    ({ figures: { normReason } }) => normReason === "quality" ? normReason : null,
  ),
  result(
    "fazekas_equivalent",
    "0 to 3, of the lesion volume",
    ({ figures }) => figures.fazekasEquivalent,
  ),
];

/** Lesion values that the product prints as reliable. */
const lesionsOf = ({ figures: { lesions } }: RegistryStudy) =>
  lesions?.wmh_detail.is_unreliable ? null : lesions;

const labelsOf = (part: string) => PARTS.find((each) => each.part === part)!.labels;
const regionOf = ({ figures }: RegistryStudy, part: string) =>
  figures.regions.find(({ part_index }) => part_index[0] === labelsOf(part)[0]);
const sumOf = ({ figures }: RegistryStudy, key: (typeof SUMS)[number]) =>
  figures.aggregates.find((sum) => sum.key === key);

const VOLUMES: readonly RegistryColumn[] = [
  result(
    "icv_ml",
    "intracranial volume, mL",
    ({ figures: { icvMm3 } }) => icvMm3 === null ? null : round2(icvMm3 / 1000),
  ),
  result(
    "brain_ml",
    "brain without ventricles, mL",
    ({ figures: { brain } }) => brain && round2(brain.total / 1000),
  ),
  ...STRUCTURES.flatMap((part) =>
    SIDES.map((side) =>
      result(
        `${keyOf(part)}_${side}_ml`,
        "mL",
        (study) => regionOf(study, part)?.[`volume_${side}`] ?? null,
      )
    )
  ),
  ...SUMS.flatMap((key) =>
    SIDES.map((side) =>
      result(`${key}_${side}_ml`, "mL", (study) => sumOf(study, key)?.[`volume_${side}`] ?? null)
    )
  ),
  ...(["left", "right"] as const).map((side) =>
    result(
      `cortical_thickness_${side}_mm`,
      "mean, mm",
      ({ figures: { meanThickness } }) => round2(meanThickness[`${side}Mm`]) || null,
    )
  ),
  result("wmh_ml", "white matter hyperintensities, mL", (study) => lesionsOf(study)?.wmh ?? null),
  result("wmh_deep_ml", "mL", (study) => lesionsOf(study)?.deep_wmh ?? null),
  result("wmh_periventricular_ml", "mL", (study) => lesionsOf(study)?.peri_wmh ?? null),
  result(
    "lesion_count",
    "number of lesions",
    (study) => lesionsOf(study)?.wmh_detail.lesion_count ?? null,
  ),
];

/** Column names of an interval's ends; "percentile_low" would read as a finding. */
const LIMITS = { low: "lower_limit", high: "upper_limit" } as const;

/** Percentile and 80 % interval; absent if they would reveal more about the age than the band. */
const ranked = (
  key: string,
  of: (study: RegistryStudy) => PercentileRank | null | undefined,
): RegistryColumn[] => {
  const shown = (study: RegistryStudy) => hasOpenBand(study.cell) ? null : of(study) ?? null;
  return [
    result(
      `${key}_percentile`,
      "0 to 100; norms for age, sex and, where it is used, ICV",
      (study) => printedPercentile(shown(study)),
    ),
    ...(["low", "high"] as const).map((end) =>
      result(`${key}_percentile_${LIMITS[end]}`, "limit of the 80 % interval", (study) => {
        const rank = shown(study);
        return rank && (printedInterval(rank)?.[end] ?? null);
      })
    ),
  ];
};

const PERCENTILES: readonly RegistryColumn[] = [
  ...ranked("brain", ({ figures }) => figures.brain?.rank.total),
  ...STRUCTURES.flatMap((part) =>
    SIDES.flatMap((side) =>
      ranked(`${keyOf(part)}_${side}`, (study) => {
        const row = regionOf(study, part);
        return row && shownRank(row, side);
      })
    )
  ),
  ...SUMS.flatMap((key) =>
    SIDES.flatMap((side) =>
      ranked(`${key}_${side}`, (study) => {
        const row = sumOf(study, key);
        return row && shownRank(row, side);
      })
    )
  ),
  ...(["left", "right", "total"] as const).flatMap((side) =>
    ranked(`cortical_thickness_${side}`, ({ figures }) => figures.meanThickness.rank[side])
  ),
];

const REPORT: readonly RegistryColumn[] = [
  { category: "report", key: "signed_text", meaning: "signed text", of: ({ text }) => text },
  {
    category: "report",
    key: "signed_text_withheld",
    meaning: "name, identifier, date, number or address: found in the signed text",
    of: ({ textWithheld }) => textWithheld,
  },
];

/**
 * Columns of a registry file, with either volumes or percentiles: both would reveal the age
 * to a year, by the published norms.
 */
export const registryColumns = (figures: RegistryFigures, hasTexts: boolean): RegistryColumn[] => [
  ...STUDY,
  ...QUALITY,
  ...figures === "volumes" ? VOLUMES : PERCENTILES,
  ...DEMOGRAPHICS,
  ...hasTexts ? REPORT : [],
];

/** A study as an object by category, without categories that have no column. */
export function registryObject(
  columns: readonly RegistryColumn[],
  of: RegistryStudy,
): Record<string, Record<string, RegistryValue>> {
  const object: Record<string, Record<string, RegistryValue>> = {};
  for (const { category, key, of: valueOf } of columns) {
    (object[category] ??= {})[key] = valueOf(of);
  }
  return object;
}

export const registryHead = (columns: readonly RegistryColumn[]): string[] =>
  columns.map(({ category, key }) => `${category}.${key}`);
export const registryRow = (columns: readonly RegistryColumn[], of: RegistryStudy) =>
  columns.map(({ of: valueOf }) => valueOf(of));
