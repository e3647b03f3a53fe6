// Verification of this build: tests, requirements, mutations and benchmarks, counted in the tree,
// and the results of a run of the test suite if its reports are given.
import { readRequirements } from "@/tools/coverage/coverage.ts";
import { readTags } from "@/tools/coverage/tags.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";
import { tallyJunit, testFiles } from "@/tools/test.ts";
import {
  controlsOf,
  type Hazard,
  type ProofState,
  proofStateOf,
  ROOT,
} from "@/tools/dossier/hazards.ts";

const REGISTERED =
  /\bDeno\.test(?:\.ignore)?\(|^\s*(?:database|core|gate|store|sending|browser)Test\(/gm;

/** Number of registered tests by top folder; a test registered in a loop counts once. */
export async function countTests(): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const add = (folder: string, count: number) =>
    counts.set(folder, (counts.get(folder) ?? 0) + count);
  const { browser, other } = testFiles(".");
  for (const path of [...browser, ...other]) {
    const text = await Deno.readTextFile(`${ROOT}/${path}`);
    add(path.split("/")[0]!, text.match(REGISTERED)?.length ?? 0);
  }
  for await (const path of filesUnder(`${ROOT}/wasm`)) {
    if (!path.endsWith(".rs") || path.includes("/target/")) continue;
    add("wasm (Rust)", (await Deno.readTextFile(path)).match(/#\[test\]/g)?.length ?? 0);
  }
  return new Map([...counts].sort());
}

/** Number of requirements with a test, and of those without a test but with a reason. */
export async function countRequirements(): Promise<{ tested: number; reasoned: number }> {
  const covered = new Set((await readTags()).flatMap(({ ids }) => ids));
  const all = (await readRequirements()).flatMap(({ requirements }) => requirements);
  return {
    tested: all.filter(({ id }) => covered.has(id)).length,
    reasoned: all.filter(({ id }) => !covered.has(id)).length,
  };
}

export function countProofs(hazards: readonly Hazard[]): Record<ProofState, number> {
  const counts = { proven: 0, earlier: 0, survived: 0, none: 0 };
  for (const control of controlsOf(hazards)) counts[proofStateOf(control)]++;
  return counts;
}

/** Reads the newest stored results of a benchmark suite. */
export interface BenchState {
  suite: string;
  file: string;
  commit: string;
  bars: number;
  missed: string[];
}

interface BenchRecord {
  commit?: string;
  rows?: { name: string; bar?: unknown; ok?: boolean }[];
}

/**
 * Newest results of each suite with acceptance limits; older records in other formats are skipped.
 */
export async function readBenches(): Promise<BenchState[]> {
  const states: BenchState[] = [], folder = `${ROOT}/bench/results`;
  const suites = [...Deno.readDirSync(folder)].filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => name).sort();
  for (const suite of suites) {
    const files = [...Deno.readDirSync(`${folder}/${suite}`)].map(({ name }) => name)
      .filter((name) => /^\d{4}-\d\d-\d\d.*\.json$/.test(name)).sort();
    const file = files.at(-1);
    if (!file) continue;
    const record: BenchRecord = JSON.parse(await Deno.readTextFile(`${folder}/${suite}/${file}`));
    const rows = (Array.isArray(record.rows) ? record.rows : []).filter(({ bar }) =>
      bar !== null && bar !== undefined
    );
    if (rows.length === 0) continue;
    const missed = rows.filter(({ ok }) => ok === false).map(({ name }) => name);
    states.push({
      suite,
      file: `bench/results/${suite}/${file}`,
      commit: record.commit ?? "–",
      bars: rows.length,
      missed,
    });
  }
  return states;
}

/** Counts the tests in the JUnit reports of a run of the suite. */
export async function readRun(paths: readonly string[]): Promise<ReturnType<typeof tallyJunit>> {
  const tallies = await Promise.all(
    paths.map(async (path) => tallyJunit(await Deno.readTextFile(path))),
  );
  const sum = (key: "passed" | "failed" | "skipped") =>
    tallies.reduce((total, tally) => total + tally[key], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}
