// Runs the whole test suite: TypeScript (unit, API, WASM, browser) and native Rust. Last line: `N
// passed, N failed`. Tests that this machine cannot run are skipped and named.
import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** failed tests by test file; paths from the root of the repository */
  failures?: Record<string, number>;
  /** name and message of each failed test */
  messages?: string[];
  slowest?: TimedTest[];
}

/** Name of a test and its elapsed time. */
interface TimedTest {
  name: string;
  seconds: number;
}

/** Number of slow tests listed at the end of a full run. */
const SLOWEST = 25;
const NONE: Tally = { passed: 0, failed: 0, skipped: 0 };
const root = fileURLToPath(new URL("..", import.meta.url));
const NO_TESTS = new Set([
  "node_modules",
  "tests/node_modules",
  ".git",
  "static",
  "wasm",
  "data",
  "docs",
]);

function printBytes(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}
const print = (line: string) => printBytes(new TextEncoder().encode(line + "\n"));

/** Counts of passed, failed and skipped tests in a JUnit file of `deno test --junit-path`. */
export function tallyJunit(xml: string): Tally {
  const suites = [...xml.matchAll(/<testsuite [^>]*>/g)].map((m) => m[0]);
  const sum = (key: string) =>
    suites.reduce((n, tag) => n + Number(tag.match(new RegExp(`\\b${key}="(\\d+)"`))?.[1] ?? 0), 0);
  const failed = sum("failures") + sum("errors"), skipped = sum("disabled") + sum("skipped");
  return { passed: sum("tests") - failed - skipped, failed, skipped };
}

/**
 * Failed tests with their steps, by test file, also for joined files. For a test registered by a
 * helper, the report names the helper's file, so the stack trace gives the test file.
 */
export function failuresByFile(xml: string): Record<string, number> {
  const failures: Record<string, number> = {};
  const add = (path: string, count: number) => {
    const file = relative(root, resolve(root, path));
    if (count > 0) failures[file] = (failures[file] ?? 0) + count;
  };
  for (
    const [suite, name, cases] of xml.matchAll(
      /<testsuite name="([^"]*)"[^>]*>([^]*?)<\/testsuite>/g,
    )
  ) {
    const count = tallyJunit(suite).failed;
    const failedPaths = isTestFile(name!) ? [] : [...cases!.matchAll(/<failure[^]*?<\/failure>/g)]
      .flatMap(([text]) => text.match(/file:\/\/(\/[^\s:]*_test\.tsx?)/)?.[1] ?? []);
    for (const path of failedPaths) add(path, 1);
    add(name!, count - failedPaths.length);
  }
  return failures;
}

/** Longest message of a failed test at the end of a run, in characters. */
const MAX_MESSAGE = 600;

/** Name and message of each failed test of a JUnit file; long messages are cut. */
export const failureMessages = (xml: string): string[] =>
  [...xml.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<failure[^>]*>([^]*?)<\/failure>/g)]
    .map(([, name, text]) => `${decodeXml(name!)}\n${decodeXml(text!).slice(0, MAX_MESSAGE)}`);

const isTestFile = (path: string) => /_test\.tsx?$/.test(path);

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** Decodes the XML escapes in a text. */
export const decodeXml = (text: string) =>
  text.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);

/** Slowest tests of a JUnit file, slowest first; the time of a test includes its steps. */
export const slowestTests = (xml: string, count: number): TimedTest[] =>
  [...xml.matchAll(/<testcase name="([^"]*)"[^>]*? time="([\d.]+)"/g)]
    .map(([, name, seconds]) => ({ name: decodeXml(name!), seconds: Number(seconds) }))
    .sort((a, b) => b.seconds - a.seconds).slice(0, count);

/** Counts of tests in the `test result:` lines of `cargo test`. */
export function tallyCargo(output: string): Tally {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  for (
    const m of output.matchAll(/test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/g)
  ) {
    tally.passed += Number(m[1]);
    tally.failed += Number(m[2]);
    tally.skipped += Number(m[3]);
  }
  return tally;
}

/** Test files below a folder, split into browser tests and other tests; paths from the root. */
export function testFiles(folder: string): { browser: string[]; other: string[] } {
  const files = { browser: [] as string[], other: [] as string[] };
  const visit = (path: string) => {
    for (const entry of Deno.readDirSync(path)) {
      const child = path === "." ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory && !NO_TESTS.has(child)) visit(child);
      else if (isTestFile(entry.name)) {
        files[Deno.readTextFileSync(child).includes("launchBrowser(") ? "browser" : "other"].push(
          child,
        );
      }
    }
  };
  visit(folder);
  return { browser: files.browser.sort(), other: files.other.sort() };
}

/**
 * Slowest test files: each runs as a separate part and starts first, so that the lanes end at about
 * the same time. http_server_test.ts takes heap snapshots, which hold whatever else its process has
 * loaded: beside fifty other files they took a minute and a half.
 */
export const LONG = [
  "tests/e2e/real_scans_test.ts",
  "tests/e2e/states_test.ts",
  "tests/api/connections/orthanc_test.ts",
  "tests/api/studies/analysed_studies_test.ts",
  "tests/api/connections/connections_test.ts",
  "tests/e2e/worklist/worklist_shift_test.ts",
  "tests/crash_test.ts",
  "tests/api/studies/patients_test.ts",
  "server/core/engine/reference_test.ts",
  "server/commands/analyze_visits_test.ts",
  "server/edge/web/http_server_test.ts",
];
const PARTS = 12;

/** Distributes test files over a number of parts. */
const dealt = (files: readonly string[], count: number): string[][] =>
  Array.from({ length: count }, (_, n) => files.filter((_, at) => at % count === n))
    .filter((part) => part.length > 0);

/** Parts of the suite, each a list of test files; lanes run the parts one after another. */
export function partsOf(files: readonly string[]): string[][] {
  const short = files.filter((file) => !LONG.includes(file));
  return [
    ...LONG.filter((file) => files.includes(file)).map((file) => [file]),
    ...dealt(short, PARTS),
  ];
}

/**
 * A generated test file that imports the given files, so that shared imports load once. Failures
 * still name the original files.
 */
function joined(files: readonly string[], folder: string): string {
  const path = `${folder}/${crypto.randomUUID()}_test.ts`;
  const lines = files.map((file) =>
    `import ${JSON.stringify(new URL(`../${file}`, import.meta.url).href)};\n`
  );
  Deno.writeTextFileSync(path, lines.join(""));
  return path;
}

interface Running {
  /** niceness (lower CPU priority) of a process that yields to others */
  nice?: number;
  /** whether the process runs beside others and prints its output at the end */
  isBeside?: boolean;
}

/** Runs test files that share a folder for temporary files. */
async function runDeno(
  files: string[],
  folder: string,
  { nice = 0, isBeside = false }: Running = {},
): Promise<Tally> {
  const junit = Deno.makeTempFileSync({ suffix: ".xml" });
  const args = [
    "test",
    "-A",
    "--no-check",
    "--config=deno.json",
    `--junit-path=${junit}`,
    ...files,
  ];
  const run = new Deno.Command(nice > 0 ? "nice" : Deno.execPath(), {
    args: nice > 0 ? ["-n", String(nice), Deno.execPath(), ...args] : args,
    cwd: root,
    stdout: isBeside ? "piped" : "inherit",
    stderr: isBeside ? "piped" : "inherit",
    env: { NODE_ENV: "production", TEST_FOLDER: folder },
  });
  const output = await run.output();
  if (isBeside) [output.stdout, output.stderr].forEach(printBytes);
  const report = Deno.readTextFileSync(junit), tally: Tally = tallyJunit(report);
  tally.failures = failuresByFile(report);
  tally.messages = failureMessages(report);
  tally.slowest = slowestTests(report, SLOWEST);
  Deno.removeSync(junit);
  // A file that fails to load or a leak outside a test
  // fails the run without a failed test in the report.
  if (output.code !== 0 && tally.failed === 0) tally.failed = 1;
  return tally;
}

/**
 * Crates without tests, which are JavaScript bindings:
 * `deno task ok:rust` and the WASM builds compile them.
 */
export const UNTESTED_CRATES = ["bind_browser", "bind_engine", "bind_tests"];

async function runCargo(): Promise<Tally> {
  // one target folder per compiler: a machine may have two, and their outputs must not mix
  const version = new TextDecoder().decode(
    (await new Deno.Command("rustc", { args: ["--version"] }).output()).stdout,
  );
  const cargo = new Deno.Command("nice", {
    args: [
      ..."-n 10 cargo test --profile unit --quiet --locked --workspace --lib --tests".split(" "),
      ...UNTESTED_CRATES.flatMap((crate) => ["--exclude", crate]),
    ],
    cwd: root + "wasm",
    env: { CARGO_TARGET_DIR: `target/test-${version.split(" ")[1] ?? "unknown"}` },
    stdout: "piped",
    stderr: "inherit",
  });
  const { code, stdout } = await cargo.output();
  const text = new TextDecoder().decode(stdout);
  print(text);
  const tally = tallyCargo(text);
  if (code !== 0 && tally.failed === 0) tally.failed = 1;
  return tally;
}

const isOnPath = (program: string) =>
  (Deno.env.get("PATH") ?? "").split(":").some((folder) => existsSync(`${folder}/${program}`));

if (import.meta.main) {
  const filters = Deno.args, folder = Deno.makeTempDirSync({ prefix: "sulcus-tests-" });
  const started = performance.now();
  const build = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tools/build.ts", "--if-changed"],
    cwd: root,
    stdout: "inherit",
    stderr: "inherit",
  }).output();
  const tallies: Tally[] = [];
  const notes: string[] = [];
  if (build.code !== 0) tallies.push({ passed: 0, failed: 1, skipped: 0 });
  else if (filters.length > 0) tallies.push(await runDeno(filters, folder));
  else {
    const { browser, other } = testFiles(".");
    // pages and databases mostly wait, the engine computes and the compiler uses the remaining
    // time: running them together takes a third of the time
    const joinedPartsOf = (files: readonly string[]) =>
      partsOf(files).map((part) => part.length > 1 ? [joined(part, folder)] : part);
    const inBrowsers = joinedPartsOf(browser), others = joinedPartsOf(other);
    /**
     * Runs parts from these lists and moves on to the next list
     * when one is empty, so that all lanes end together.
     */
    const runParts = async (nice: number, ...lists: string[][][]) => {
      for (const list of lists) {
        for (let part = list.shift(); part; part = list.shift()) {
          tallies.push(await runDeno(part, folder, { nice, isBeside: true }));
        }
      }
      return NONE;
    };
    const timed = async (name: string, run: Promise<Tally>) => {
      const tally = await run;
      notes.push(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s`);
      return tally;
    };
    const lanes = [
      timed("Browser tests first", runParts(0, inBrowsers, others)),
      timed("Other tests first", runParts(5, others, inBrowsers)),
      timed("Other tests first", runParts(5, others, inBrowsers)),
    ];
    // page tests mostly wait for the browser, so one more lane starts after the Rust tests
    if (isOnPath("cargo")) {
      const rust = timed("Rust native tests", runCargo());
      const otherTests = rust.then(async (tally) => {
        tallies.push(tally);
        return await runParts(5, others, inBrowsers);
      });
      lanes.push(timed("Other tests after them", otherTests));
    } else {
      notes.push(
        "Rust native tests skipped: cargo is not installed (the same vectors ran on the WASM build)",
      );
    }
    tallies.push(...await Promise.all(lanes));
  }
  if (filters.length === 0) {
    print("The slowest tests:");
    const timedTests = tallies.flatMap(({ slowest = [] }) => slowest);
    for (
      const { name, seconds } of timedTests.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
    ) print(`${seconds.toFixed(0).padStart(5)} s  ${name}`);
  }
  notes.push(...tallies.flatMap(({ messages = [] }) => messages));
  for (const { failures = {} } of tallies) {
    for (const [file, count] of Object.entries(failures)) notes.push(`FAILED: ${file} (${count})`);
  }
  Deno.removeSync(folder, { recursive: true });
  if (!existsSync("/usr/bin/chromium")) {
    notes.push("Browser tests skipped: /usr/bin/chromium is not installed");
  }
  const total = (key: "passed" | "failed" | "skipped") => tallies.reduce((n, t) => n + t[key], 0);
  for (const note of notes) print(note);
  print(`${((performance.now() - started) / 1000).toFixed(0)} s, ${total("skipped")} skipped`);
  print(`${total("passed")} passed, ${total("failed")} failed`);
  Deno.exit(total("failed") > 0 || total("passed") === 0 ? 1 : 0);
}
