/**
 * Norms from routine studies on simulated scanners, by the project's own error table.
 *
 * deno task bench norms [--every N] [--json FILE]
 *
 * Simulates scanners for every volume measure, with biases drawn from the spread between scanners
 * in the error table. Each scanner has 200 routine studies, some of them of ill people; the norm
 * fitted to them is then applied to healthy people. `--every N` takes only every n-th measure.
 */
import { finish, type Row, rowMaker } from "@/bench/record.ts";
import { type Illness, simulateSite, USUAL_ILLNESS } from "@/bench/norms/simulated_site.ts";

const at = Deno.args.indexOf("--every"), every = at < 0 ? 1 : Number(Deno.args[at + 1]);
const row = rowMaker("norms", 3);
/** Share of ill patients, effect of the illness, and maximum mean percentile error, points. */
const CASES: readonly [illShare: number, illness: Illness, bar: number | null][] = [
  [0.4, USUAL_ILLNESS, 12],
  [0.2, USUAL_ILLNESS, 12],
  [0.6, USUAL_ILLNESS, null],
  // other effects than the fit assumes
  [0.4, { mean: 1.2, sd: 0.8 }, null],
  [0.4, { mean: 3, sd: 1.5 }, null],
];

const rows: Row[] = CASES.flatMap(([illShare, illness, bar], index) => {
  const figures = simulateSite({
    studies: 200,
    illShare,
    illness,
    scanners: 3,
    readers: 30,
    seed: 100 + index,
    every,
  });
  const name = `${100 * illShare} % ill by ${illness.mean} ± ${illness.sd} z`;
  const refused = Object.entries(figures.refused).map(([reason, n]) => `${reason} ${n}`).join(", ");
  const cover = figures.held / figures.proposed;
  const isBarred = bar !== null;
  return [
    row(`${name}: mean error of printed percentiles`, figures.errorWith, "points", {
      baseline: figures.errorWithoutSame,
      bar,
      ok: bar === null || figures.errorWith <= bar,
    }),
    row(`${name}: the same without norms, all then printed`, figures.errorWithout, "points"),
    row(`${name}: printed with norms`, figures.printedWith / figures.people, "1", {
      baseline: figures.printedWithout / figures.people,
    }),
    row(`${name}: 90 % intervals that hold the offset`, cover, "1", {
      bar: isBarred ? 0.85 : null,
      ok: !isBarred || cover >= 0.85,
    }),
    row(
      `${name}: 90 % intervals that hold the scale`,
      figures.scaleHeld / figures.proposed,
      "1",
    ),
    row(
      `${name}: refused (${refused || "none"})`,
      1 - figures.proposed / (figures.proposed + sumOf(figures.refused)),
      "1",
    ),
  ];
});
function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}
finish("deno task bench norms", `every ${every}. measure, 3 scanners, 200 studies`, rows);
