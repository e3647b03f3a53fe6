import { normalCdf } from "@/model/norms/norms.ts";
import { limitsOf, rankOfZ, zOfPercentile } from "@/model/norms/percentile_rank.ts";
import { printedPercentile } from "@/model/norms/rank_format.ts";
import { isInvertedKey, VOLUME_KEYS } from "@/model/regions/measures.ts";
import { mean } from "@/bench/engine/score.ts";
import {
  bandsOf,
  fitVolumes,
  isHeld,
  leftOutThickness,
  normSpread,
  unsteadyIn,
} from "@/bench/truth/error_model.ts";
import { evidenceOf, groupsOf, siteOf } from "@/bench/truth/evidence.ts";
import type { MeasuredHead } from "@/bench/truth/measured_head.ts";
import type { Row } from "@/bench/record.ts";

type Make = (
  name: string,
  value: number,
  unit: string,
  given?: Partial<Pick<Row, "bar" | "ok">>,
) => Row;

/** Default thresholds of the percentile bands, from the outermost; index of the lowest band. */
const THRESHOLDS = [5, 25], LIMITS = limitsOf(THRESHOLDS), VERY_LOW = THRESHOLDS.length;
/** Number of people that represent a normal population: each at the middle of an equal part. */
const PEOPLE = 40;
const NORMAL = Array.from({ length: PEOPLE }, (_, n) => zOfPercentile(100 * (n + 0.5) / PEOPLE));
const SHRUNK = -2.5;

/** Results at one site with the error model fitted to all other sites. */
export interface LeftOutSite {
  site: string;
  heads: number;
  /** number of 80 % intervals that contain the truth, and number of all intervals */
  held: number;
  count: number;
  /** |percentile − true percentile| of single labels with bands, in a normal population */
  differences: number[];
  firm: number;
  firmWrong: number;
  /** number of people with a structure 2.5 SDs too small, and number reported as (possibly) low */
  shrunk: number;
  shrunkNamed: number;
}

/** Applies the error of a single label to a normal population, and counts the results. */
function readPeople(out: LeftOutSite, key: string, error: number, sd: number): void {
  const spread = normSpread(key);
  if (spread === null) return;
  const isInverted = isInvertedKey(key), sign = isInverted ? -1 : 1;
  const read = (z: number) =>
    rankOfZ(sign * z + error / spread, sd / spread, { limits: LIMITS, isInverted });
  for (const z of NORMAL) {
    const rank = read(z), percentile = printedPercentile(rank);
    if (percentile !== null) out.differences.push(Math.abs(percentile - 100 * normalCdf(sign * z)));
    if (rank.level === VERY_LOW) {
      out.firm++;
      if (100 * normalCdf(z) > THRESHOLDS[0]!) out.firmWrong++;
    }
  }
  out.shrunk++;
  if (read(SHRUNK).possible_level === VERY_LOW) out.shrunkNamed++;
}

/** Leaves out each site in turn; which measures have bands is decided with all sites. */
export function leftOutSites(
  measured: readonly MeasuredHead[],
  hasOpinion: boolean,
): LeftOutSite[] {
  const evidence = evidenceOf(measured, hasOpinion);
  const keys = VOLUME_KEYS.filter((key) => key !== "icv");
  const sites = new Set(keys.flatMap((key) => groupsOf(key, evidence).map(siteOf)));
  if (sites.size < 3) return [];
  // measures withheld because of one site are withheld at all sites
  const hasBands = bandsOf(fitVolumes(evidence), unsteadyIn(measured));
  return [...sites].map((site) => {
    const model = fitVolumes(evidence, site);
    const out: LeftOutSite = {
      site,
      heads: 0,
      held: 0,
      count: 0,
      differences: [],
      firm: 0,
      firmWrong: 0,
      shrunk: 0,
      shrunkNamed: 0,
    };
    for (const key of keys) {
      const row = model.fitted.get(key);
      const errors = groupsOf(key, evidence).filter((group) => siteOf(group) === site)
        .flatMap((group) => group.errors);
      if (!row) continue;
      out.heads = Math.max(out.heads, errors.length);
      out.count += errors.length;
      for (const error of errors) {
        if (isHeld(error, row)) out.held++;
        if (/^\d+$/.test(key) && hasBands(key)) {
          readPeople(out, key, error - row.bias, Math.hypot(row.biasSd, row.randomSd));
        }
      }
    }
    return out;
  });
}

/** Sum of a count over the sites. */
export const totalOf = (
  sites: readonly LeftOutSite[],
  pick: "held" | "count" | "firm" | "firmWrong" | "shrunk" | "shrunkNamed",
): number => sites.reduce((sum, site) => sum + site[pick], 0);

/** Rows about sites that were left out of the error model. */
export function leftOutRows(heads: readonly MeasuredHead[], hasOpinion: boolean, row: Make): Row[] {
  const setting = hasOpinion ? "with the second opinion" : "without it";
  const sites = leftOutSites(heads, hasOpinion),
    thickness = leftOutThickness(evidenceOf(heads, hasOpinion));
  if (sites.length === 0) return [];
  const share = (part: number, whole: number) => 100 * part / Math.max(1, whole);
  const held = share(totalOf(sites, "held"), totalOf(sites, "count"));
  const differences = sites.flatMap((site) => site.differences), difference = mean(differences);
  const wrong = share(totalOf(sites, "firmWrong"), totalOf(sites, "firm"));
  const named = share(totalOf(sites, "shrunkNamed"), totalOf(sites, "shrunk"));
  const sum = (pick: "held" | "count") => thickness.reduce((total, site) => total + site[pick], 0);
  return [
    ...sites.map(({ site, heads: n, held, count }) =>
      row(
        `left out, ${setting}, ${site} (${n} heads): 80 % intervals that hold the truth (${count})`,
        share(held, count),
        "%",
      )
    ),
    row(
      `left out, ${setting}, all ${sites.length} sites: 80 % intervals that hold the truth`,
      held,
      "%",
      {
        bar: "74–88",
        ok: held >= 74 && held <= 88,
      },
    ),
    row(
      `left out, ${setting}: single labels with a percentile, mean difference`,
      difference,
      "points",
      {
        bar: "≤ 13",
        ok: difference <= 13,
      },
    ),
    row(
      `left out, ${setting}: printed as ≤ 5th and is not (${totalOf(sites, "firm")})`,
      wrong,
      "%",
      {
        bar: "≤ 20",
        ok: wrong <= 20,
      },
    ),
    row(`left out, ${setting}: smaller by 2.5 sd, printed or possibly`, named, "%", {
      bar: "≥ 85",
      ok: named >= 85,
    }),
    ...thickness.map(({ site, residual }) =>
      row(
        `left out, ${setting}, ${site}: thickness of hemispheres after correction`,
        residual,
        "mm",
        {
          bar: "−.08 to .08",
          ok: Math.abs(residual) <= 0.08,
        },
      )
    ),
    row(
      `left out, ${setting}: thickness, 80 % intervals that hold the truth`,
      share(sum("held"), sum("count")),
      "%",
    ),
  ];
}
