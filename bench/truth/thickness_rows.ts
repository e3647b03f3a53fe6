import { mean } from "@/bench/engine/score.ts";
import type { Row } from "@/bench/record.ts";
import { evidenceOf, isThicknessInSight } from "@/bench/truth/evidence.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";

type Make = (
  name: string,
  value: number,
  unit: string,
  given?: Partial<Pick<Row, "bar" | "ok">>,
) => Row;

/** Maximum distance of a site's mean thickness from FreeSurfer's, mm. */
const MAX_BIAS_MM = 0.08;
/** Maximum SD of the sites' mean errors, mm. */
const MAX_SD_MM = 0.06;
const LEAST_R = 0.9;

/** Mean thickness of one hemisphere, mm. */
interface Side {
  site: string;
  head: string;
  ours: number;
  theirs: number;
}

const variance = (values: readonly number[]): number => {
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
};

function correlation(sides: readonly Side[]): number {
  const x = mean(sides.map(({ ours }) => ours)), y = mean(sides.map(({ theirs }) => theirs));
  const sum = (of: (side: Side) => number) => sides.reduce((total, side) => total + of(side), 0);
  return sum(({ ours, theirs }) => (ours - x) * (theirs - y)) /
    Math.sqrt(sum(({ ours }) => (ours - x) ** 2) * sum(({ theirs }) => (theirs - y) ** 2));
}

/** Thickness errors of hemispheres not used to choose constants, for the current engine. */
export interface ThicknessFigures {
  sites: { site: string; heads: number; errorMm: number }[];
  /** SD of the sites' mean errors, mm */
  sdMm: number;
  /** part of this SD explained by the spread of heads alone, mm; `null` if no site has two heads */
  sdOfHeadsMm: number | null;
  /** correlation with FreeSurfer's thickness over all hemispheres */
  r: number;
}

/** @returns `null` with fewer than two sites. */
export function thicknessFigures(measured: readonly MeasuredHead[]): ThicknessFigures | null {
  const sides = evidenceOf(measured, false).heads.filter((head) => !isThicknessInSight(head))
    .flatMap((head) =>
      head.thickness.filter(({ key }) => key.startsWith("thickness_")).map((
        { ours, theirs },
      ): Side => ({ site: head.facts.scanner ?? head.name, head: head.name, ours, theirs }))
    );
  const sites = [...Map.groupBy(sides, ({ site }) => site)].map(([site, own]) => {
    const heads = [...Map.groupBy(own, ({ head }) => head).values()]
      .map((both) => mean(both.map(({ ours, theirs }) => ours - theirs)));
    return { site, heads, errorMm: mean(heads) };
  });
  if (sites.length < 2) return null;
  const many = sites.filter(({ heads }) => heads.length > 1);
  const freedom = many.reduce((sum, { heads }) => sum + heads.length - 1, 0);
  const ofHeads = many.reduce((sum, { heads }) => sum + variance(heads) * (heads.length - 1), 0) /
    freedom;
  return {
    sites: sites.map(({ heads, ...site }) => ({ ...site, heads: heads.length })),
    sdMm: Math.sqrt(variance(sites.map(({ errorMm }) => errorMm))),
    sdOfHeadsMm: freedom > 0
      ? Math.sqrt(mean(sites.map(({ heads }) => ofHeads / heads.length)))
      : null,
    r: correlation(sides),
  };
}

export function thicknessRows(heads: readonly MeasuredHead[], row: Make): Row[] {
  const figures = thicknessFigures(heads);
  if (!figures) return [];
  const { sites, sdMm, sdOfHeadsMm, r } = figures;
  return [
    ...sites.map(({ site, heads: n, errorMm }) =>
      row(`thickness of hemispheres, ${site} (${n} heads), less FreeSurfer's`, errorMm, "mm", {
        bar: `−${MAX_BIAS_MM} to ${MAX_BIAS_MM}`,
        ok: Math.abs(errorMm) <= MAX_BIAS_MM,
      })
    ),
    row(`thickness of hemispheres: sd of the means of ${sites.length} sites`, sdMm, "mm", {
      bar: `≤ ${MAX_SD_MM}`,
      ok: sdMm <= MAX_SD_MM,
    }),
    ...(sdOfHeadsMm === null ? [] : [row(
      "thickness of hemispheres: sd of these means that differences among heads of one site make",
      sdOfHeadsMm,
      "mm",
    )]),
    row("thickness of hemispheres: correlation with FreeSurfer's", r, "1", {
      bar: `≥ ${LEAST_R}`,
      ok: r >= LEAST_R,
    }),
  ];
}
