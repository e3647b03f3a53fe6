import { asymmetryPercent } from "@/model/regions/asymmetry.ts";
import { bandOfRank } from "@/model/norms/bands.ts";
import { printedPercentile } from "@/model/norms/rank_format.ts";
import { BRAIN_GROUPS, byPriority } from "@/model/regions/brain_parts.ts";
import {
  isCortex,
  isInverted,
  type Part,
  PARTS,
  type RegionGroup,
  REGIONS,
} from "@/model/regions/regions.ts";
import type { Aggregate, RegionData, ThicknessData } from "@/model/schema/studies/patients.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { type Language, textIn } from "@/model/text.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import {
  bandKindOf,
  factsOf,
  type PercentileBasis,
  tissuePercentile,
} from "@/viewer/session/region_facts.ts";

/** Value of one side with its percentile and error; `null` if missing. */
export interface Figure {
  /** volume in mL or thickness in mm */
  value: number | null;
  rank: PercentileRank | null;
}

/** One side of a region, or a midline region. */
export interface SideFigure extends Figure {
  label: number;
}

/** A region with both sides, left and right, or a midline region. */
export interface PartRow extends Part {
  sides: readonly SideFigure[];
  /** Sum in mL, or mean of both sides in mm. */
  total: number | null;
  /** Asymmetry index in percent, positive when the left is larger; `null` for midline regions. */
  asymmetry: number | null;
  /** Total in percent of the intracranial volume; `null` for thickness. */
  icvPercent: number | null;
  /** volume of each of `sides` in percent of the ICV; absent for midline regions and thickness */
  sidesIcvPercent?: readonly (number | null)[];
}

/** A lobe, or another group of regions. */
export interface LobeRow {
  group: RegionGroup;
  labels: readonly number[];
  left: Figure;
  right: Figure;
  total: number | null;
  parts: readonly PartRow[];
}

const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((sum, value) => value === null ? sum : (sum ?? 0) + value, null);

/** @param total Sum or mean of both sides. @param asymmetry Computed from the sides by default. */
function partRow(
  part: Part,
  sideOf: (label: number) => Figure,
  total: number | null,
  { asymmetry, icvPercent = null, sidesIcvPercent }: {
    asymmetry?: number | null | undefined;
    icvPercent?: number | null;
    sidesIcvPercent?: readonly (number | null)[];
  } = {},
): PartRow {
  const sides = part.labels.map((label) => ({ label, ...sideOf(label) })),
    values = sides.map((s) => s.value);
  const [left, right] = values;
  return {
    ...part,
    sides,
    total,
    icvPercent,
    ...(sides.length === 2 && sidesIcvPercent && { sidesIcvPercent }),
    asymmetry: asymmetry ?? (values.length === 2 ? asymmetryPercent(left!, right!) : null),
  };
}

const lobesOf = (
  parts: readonly PartRow[],
  figuresOf: (group: RegionGroup, parts: PartRow[]) => {
    left: Figure;
    right: Figure;
    total: number | null;
  },
): LobeRow[] =>
  BRAIN_GROUPS.flatMap((group) => {
    const members = parts.filter((part) => part.group === group);
    return members.length === 0 ? [] : [{
      group,
      labels: members.flatMap((part) => part.labels),
      ...figuresOf(group, members),
      parts: members,
    }];
  });

const aggregateOf = (aggregates: readonly Aggregate[], group: RegionGroup): Aggregate | undefined =>
  // the aggregate label "white matter" covers more regions than this group
  aggregates.find(({ key }) => key === group);

const RANK_KEYS = {
  icv: { left: "rank_icv_left", right: "rank_icv_right" },
  region: { left: "rank_volume_left", right: "rank_volume_right" },
} as const;

/** Volumes in mL of all regions by lobe, with percentiles of the given type. */
export function volumeLobes(
  results: readonly RegionData[],
  aggregates: readonly Aggregate[],
  basis: PercentileBasis,
): LobeRow[] {
  const parts = PARTS.map((part) => {
    const row = results.find(({ part_index }) => part_index.includes(part.labels[0]));
    const sideOf = (label: number) => {
      const facts = factsOf(label, results, basis);
      return { value: facts?.volumeMl ?? null, rank: facts?.rank ?? null };
    };
    return partRow(part, sideOf, row?.volume_total ?? null, {
      asymmetry: row?.asymmetry_percent,
      icvPercent: row?.icv_percent ?? null,
      sidesIcvPercent: [row?.icv_percent_left ?? null, row?.icv_percent_right ?? null],
    });
  });
  return lobesOf(parts, (group, members) => {
    const sum = aggregateOf(aggregates, group), keys = RANK_KEYS[basis];
    const pairs = members.filter(({ sides }) => sides.length === 2);
    // sums unrounded volumes for a lobe, as all outputs do
    const side = (n: 0 | 1) =>
      (n === 0 ? sum?.volume_left : sum?.volume_right) ??
        sumOf(pairs.map(({ sides }) => sides[n]!.value));
    return {
      left: { value: side(0), rank: sum?.[keys.left] ?? null },
      right: { value: side(1), rank: sum?.[keys.right] ?? null },
      total: sum?.volume_total ?? sumOf(members.map(({ total }) => total)),
    };
  });
}

/** Thickness in mm of the 34 cortical regions by lobe, without regions too small to measure. */
export function thicknessLobes(
  results: readonly ThicknessData[],
  aggregates: readonly Aggregate[],
): LobeRow[] {
  const measured = (mm: number | null | undefined) => mm || null;
  const parts = PARTS.filter(({ labels }) => isCortex(labels[0])).map((part) => {
    const row = results.find(({ part_index }) => part_index.includes(part.labels[0]));
    const left = { value: measured(row?.thick_left), rank: row?.rank_thick_left ?? null };
    const right = { value: measured(row?.thick_right), rank: row?.rank_thick_right ?? null };
    const measuredSides = [left.value, right.value].filter((value) => value !== null);
    const mean = measuredSides.length === 0
      ? null
      : measuredSides.reduce((sum, value) => sum + value, 0) / measuredSides.length;
    return partRow(part, (label) => label === part.labels[0] ? left : right, mean);
  });
  return lobesOf(parts, (group) => {
    const mean = aggregateOf(aggregates, group);
    const left = measured(mean?.thick_left), right = measured(mean?.thick_right);
    return {
      left: { value: left, rank: mean?.rank_thick_left ?? null },
      right: { value: right, rank: mean?.rank_thick_right ?? null },
      total: left !== null && right !== null ? (left + right) / 2 : null,
    };
  });
}

/** Mean cortical thickness of each hemisphere. */
export function hemisphereThickness(
  aggregates: readonly Aggregate[],
): { left: Figure; right: Figure } | null {
  const cortex = aggregates.find(({ key }) => key === "cortex");
  return cortex && cortex.thick_left !== null
    ? {
      left: { value: cortex.thick_left, rank: cortex.rank_thick_left },
      right: { value: cortex.thick_right, rank: cortex.rank_thick_right },
    }
    : null;
}

/**
 * Sorts priority parts of the brain first within each lobe,
 * and lobes with priority parts first (D1 §2: Priority of Brain Part).
 */
export function prioritised(
  lobes: readonly LobeRow[],
  priority: ReadonlySet<string>,
): readonly LobeRow[] {
  if (priority.size === 0) return lobes;
  const isFirst = ({ part }: Part) => priority.has(part);
  return byPriority(
    lobes.map((lobe) => ({ ...lobe, parts: byPriority(lobe.parts, isFirst) })),
    ({ parts }) => parts.some(isFirst),
  );
}

/** Order in which the list is sorted. */
export type RegionOrder = "lobe" | "value" | "percentile" | "asymmetry";

/**
 * Lowest displayed percentile of a region's sides, for thresholds; `null` if no side has one.
 */
function readPercentile(part: PartRow): number | null {
  const read = part.sides.flatMap(({ label, rank }) => {
    const percentile = printedPercentile(rank);
    return percentile === null ? [] : [tissuePercentile(label, percentile)];
  });
  return read.length > 0 ? Math.min(...read) : null;
}

const ABBREVIATIONS = new Map(
  REGIONS.map(({ label, abbreviation }) => [label, abbreviation.toLowerCase()]),
);

/**
 * Whether words occur in the name or abbreviation of a region,
 * or in the name of its lobe, in either language.
 */
function isMatch(part: Part, words: string): boolean {
  const group = REGION_GROUP_TEXT[part.group];
  return [
    partName(part.part, "en"),
    partName(part.part, "ko"),
    group.en,
    group.ko,
    ...part.labels.map((label) => ABBREVIATIONS.get(label) ?? ""),
  ].some((name) => name.toLowerCase().includes(words));
}

/**
 * Filters rows by the search and, with a threshold, by sides at or below the threshold.
 * @param threshold Percentile 0..100; `null` for all.
 */
export function filterLobes(
  lobes: readonly LobeRow[],
  words: string,
  threshold: number | null,
): LobeRow[] {
  const sought = words.trim().toLowerCase();
  return lobes.flatMap((lobe) => {
    const parts = lobe.parts.filter((part) =>
      (sought === "" || isMatch(part, sought)) &&
      (threshold === null || (readPercentile(part) ?? Infinity) <= threshold)
    );
    return parts.length > 0 ? [{ ...lobe, parts }] : [];
  });
}

/**
 * All regions in one list without lobes, sorted by value; regions without a value come last.
 * `isThinnestFirst` reverses the order.
 */
export function sortParts(
  lobes: readonly LobeRow[],
  order: Exclude<RegionOrder, "lobe">,
  isThinnestFirst = false,
): PartRow[] {
  const rank = (part: PartRow): number => {
    if (order === "percentile") return readPercentile(part) ?? Infinity;
    if (order === "asymmetry") {
      return part.asymmetry === null ? Infinity : -Math.abs(part.asymmetry);
    }
    return part.total === null ? Infinity : isThinnestFirst ? part.total : -part.total;
  };
  const ranked = lobes.flatMap(({ parts }) => parts).map((part) => ({ part, rank: rank(part) }));
  return ranked.sort((a, b) => a.rank === b.rank ? 0 : a.rank - b.rank).map(({ part }) => part);
}

/**
 * Mark of an abnormal rank as in the report, independent of colour; empty otherwise.
 * Firm marks, possible marks in brackets, "!" for checking the segmentation.
 */
export function markOf(
  label: number,
  rank: PercentileRank | null,
  thresholds: readonly number[],
): string {
  const band = bandKindOf(rank, thresholds);
  if (band === "none" || band === "usual" || band === "unsure") return "";
  // the mark uses the same characters in all languages
  return bandOfRank(rank, thresholds, isInverted(label), "en")!.symbol;
}

export const groupName = (group: RegionGroup, language: Language): string =>
  textIn(REGION_GROUP_TEXT[group], language);

/** A focus position in the tree: a lobe, a region, or one side of a region. */
export interface TreePlace {
  row: number;
  /** 0 selects the row of the region; 1 and 2 select the rows of its sides */
  side: 0 | 1 | 2;
}

/** A visible row of the region tree. */
export type TreeRow =
  | { kind: "lobe"; lobe: LobeRow; isOpen: boolean }
  | { kind: "part"; part: PartRow };

/**
 * Visible rows of the tree: lobes with the regions of expanded lobes, or only the sorted regions.
 */
export function treeRows(
  lobes: readonly LobeRow[],
  order: RegionOrder,
  closed: ReadonlySet<RegionGroup>,
  isThinnestFirst = false,
): TreeRow[] {
  if (order !== "lobe") {
    return sortParts(lobes, order, isThinnestFirst).map((part) => ({ kind: "part", part }));
  }
  return lobes.flatMap((lobe): TreeRow[] => {
    const isOpen = !closed.has(lobe.group);
    const parts = isOpen ? lobe.parts.map((part): TreeRow => ({ kind: "part", part })) : [];
    return [{ kind: "lobe", lobe, isOpen }, ...parts];
  });
}

const sidesOf = (row: TreeRow | undefined): number =>
  row?.kind === "part" && row.part.sides.length === 2 ? 2 : 0;

/**
 * Position to which a key moves the focus in the tree; `null` for no movement.
 * "open" and "close" toggle the current lobe.
 */
export function moveInTree(
  rows: readonly TreeRow[],
  place: TreePlace,
  key: string,
): TreePlace | "open" | "close" | null {
  const row = rows[place.row];
  const to = (n: number): TreePlace => {
    const targetRow = Math.min(Math.max(n, 0), rows.length - 1);
    return { row: targetRow, side: sidesOf(rows[targetRow]) ? place.side : 0 };
  };
  switch (key) {
    case "ArrowDown":
      return to(place.row + 1);
    case "ArrowUp":
      return to(place.row - 1);
    case "PageDown":
      return to(place.row + 10);
    case "PageUp":
      return to(place.row - 10);
    case "Home":
      return { row: 0, side: 0 };
    case "End":
      return { row: rows.length - 1, side: 0 };
    case "ArrowRight":
      if (row?.kind === "lobe") {
        return row.isOpen ? { row: Math.min(place.row + 1, rows.length - 1), side: 0 } : "open";
      }
      return place.side < sidesOf(row) ? { row: place.row, side: place.side + 1 as 1 | 2 } : null;
    case "ArrowLeft": {
      if (row?.kind === "lobe") return row.isOpen ? "close" : null;
      if (place.side > 0) return { row: place.row, side: place.side - 1 as 0 | 1 };
      const lobe = rows.findLastIndex((each, n) => each.kind === "lobe" && n < place.row);
      return lobe < 0 ? null : { row: lobe, side: 0 };
    }
  }
  return null;
}

/** First row at or after a position with a name that starts with the typed text, cyclic. */
export function findTyped(
  rows: readonly TreeRow[],
  from: number,
  words: string,
  language: Language,
): number {
  const isHit = (row: TreeRow) => {
    const name = row.kind === "lobe"
      ? groupName(row.lobe.group, language)
      : partName(row.part.part, language);
    return name.toLowerCase().startsWith(words);
  };
  const below = rows.findIndex((row, n) => n >= from && isHit(row));
  return below >= 0 ? below : rows.findIndex(isHit);
}

/** Label of the opposite hemisphere; 0 for midline regions and unknown labels. */
export function contralateral(label: number): number {
  const labels: readonly number[] =
    PARTS.find((part) => (part.labels as readonly number[]).includes(label))
      ?.labels ?? [];
  return labels.length === 2 ? labels.find((each) => each !== label)! : 0;
}
