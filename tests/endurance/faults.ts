/**
 * A rehearsal of faults in a busy site (uploads, edits, analyses and reports in balance, sockets, a
 * scanner, an archive, an HL7 listener). A proxy resets, stalls, half-opens and truncates
 * connections of all protocols; files in the inbox, among uploads and among stored files are
 * damaged; the disk is full; the clock jumps two hours forward and back; server, converter, gate or
 * all processes are killed. At the end no acknowledged work is lost, the site responds, and `admin
 * verify` finds no damage.
 *
 * deno task endurance faults [--database postgres] [--seconds 600] [--kills 100] [--seed N] [--json
 * FILE] needs a built site. As root it fills a separate disk; PostgreSQL's server is killed too. A
 * failure prints its seed, which selects the same faults again; their times also depend on the
 * machine.
 */
import { rehearse } from "@/tests/endurance/faults/rehearsal.ts";
import { KINDS } from "@/tests/endurance/faults/kinds.ts";
import { DATABASES } from "@/tests/endurance/faults/place.ts";
import { finish, optionOf, rowMaker } from "@/bench/record.ts";

const LEAST_SHARE = 0.2;
const seed = Number(optionOf("seed") ?? 20261127), seconds = Number(optionOf("seconds") ?? 600);
const kills = Number(optionOf("kills") ?? 100), named = optionOf("database") ?? "sqlite";
const database = DATABASES.find((name) => name === named);
if (database === undefined) throw new Error(`--database is ${DATABASES.join(" or ")}`);
const say = (text: string) => void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

const { problems, acknowledged, ...counts } = await rehearse({
  seed,
  database,
  seconds,
  kills,
  say,
});
for (const problem of problems) say(`seed ${seed}: ${problem}`);
const row = rowMaker("faults"), total = KINDS.reduce((sum, kind) => sum + acknowledged[kind], 0);
const killed = Object.values(counts.kills).reduce((sum, count) => sum + count, 0);
const part = (name: string, all: Record<string, number>, unit: string) =>
  Object.entries(all).map(([what, count]) => row(`${name} ${what}`, count, unit));
finish("deno task endurance faults", `seed ${seed}, ${database}, ${seconds} s of faults`, [
  row("lost or wrong", problems.length, "problems", { bar: 0, ok: problems.length === 0 }),
  row("kills", killed, "kills", { bar: kills, ok: killed >= kills }),
  ...part("kills of", counts.kills, "kills"),
  ...part("connections:", counts.connections, "connections"),
  ...part("damage to", counts.damages, "times"),
  ...KINDS.map((kind) => {
    const share = total === 0 ? 0 : acknowledged[kind] / total;
    return row(`acknowledged ${kind}, share of ${total}`, share, "", {
      bar: LEAST_SHARE,
      ok: share >= LEAST_SHARE,
    });
  }),
]);
