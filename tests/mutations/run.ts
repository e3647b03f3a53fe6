/**
 * deno run -A --config=deno.json tests/mutations/run.ts [--write] [CONTROL ...]: proves that the controls of
 * docs/dossier/hazards.json are tested. The tree is copied; each patch beside this file removes a
 * control in the copy, whose named test must then fail, and must pass when the patch is taken back.
 * One at a time. `--write` records each result in docs/dossier/proofs.json. Exit 1 when a test
 * passes without its control.
 */
import { dirname, join } from "node:path";
import {
  type Control,
  controlsOf,
  digestOf,
  hasPatch,
  patchOf,
  type Proof,
  readHazards,
  ROOT,
} from "@/tools/dossier/hazards.ts";
import { decodeXml } from "@/tools/test.ts";

/** Generated or large folders that patches do not change: the copy links to them. */
const LINKED = ["node_modules", "tests/node_modules", "static/build"];
const LIMIT_MS = 900_000;
/** Limits a test's heap, because printing the difference of long arrays takes gigabytes. */
const HEAP = "--v8-flags=--max-old-space-size=3000";
/** Characters with a special meaning in a regular expression, including the delimiter. */
const SPECIAL = /[\\^$.*+?()[\]{}|\/]/g;

const print = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

/** Outcome of a named test in a JUnit report; `absent`: the test did not run. */
export function outcomeOf(junit: string, name: string): "passed" | "failed" | "absent" {
  for (
    const [, attributes, selfClosed, body] of junit.matchAll(
      /<testcase ([^>]*?)(\/?)>(?:([^]*?)<\/testcase>)?/g,
    )
  ) {
    const title = attributes!.match(/\bname="([^"]*)"/)?.[1];
    if (title === undefined || decodeXml(title) !== name) continue;
    if (selfClosed) return "passed";
    if (/<skipped/.test(body ?? "")) return "absent";
    return /<(failure|error)/.test(body ?? "") ? "failed" : "passed";
  }
  return "absent";
}

async function runIn(folder: string, program: string, args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd: folder,
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (!success) throw new Error(`${program} ${args.join(" ")}: ${text.slice(-2000)}`);
  return text;
}

/** Copies the files that git lists, including untracked ones. */
async function copyTree(folder: string): Promise<void> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  for (const path of (await runIn(ROOT, "git", args)).split("\0").filter(Boolean)) {
    // git lists the folder as a file if it is a symbolic link in this tree
    if (LINKED.includes(path)) continue;
    await Deno.mkdir(join(folder, dirname(path)), { recursive: true });
    // a removed file that is not committed yet does not exist
    await Deno.copyFile(join(ROOT, path), join(folder, path)).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  for (const path of LINKED) {
    if (await Deno.stat(join(ROOT, path)).catch(() => null)) {
      await Deno.symlink(join(ROOT, path), join(folder, path));
    }
  }
  // without a repository, `git apply` would look for one in parent folders
  await runIn(folder, "git", ["init", "--quiet"]);
}

/**
 * Runs only the named test, without its variants on other databases, whose names are longer. The
 * result is `absent` if the file does not load or runs too long.
 */
async function outcomeIn(
  folder: string,
  { file, name }: Control["test"],
): Promise<ReturnType<typeof outcomeOf>> {
  const junit = join(folder, ".junit.xml");
  await Deno.remove(junit).catch(() => {});
  const args = ["test", "-A", "--no-check", HEAP, "--config=deno.json", `--junit-path=${junit}`];
  await new Deno.Command(Deno.execPath(), {
    args: [...args, "--filter", `/^${name.replaceAll(SPECIAL, "\\$&")}$/`, file],
    cwd: folder,
    env: { NO_COLOR: "1", NODE_ENV: "production" },
    stdout: "null",
    stderr: "null",
    signal: AbortSignal.timeout(LIMIT_MS),
  }).output().catch(() => null);
  return outcomeOf(await Deno.readTextFile(junit).catch(() => ""), name);
}

/**
 * Removes a control, runs its test, and restores the control.
 * @throws {Error} if the test does not run, or fails even with the control, which would prove
 *   nothing.
 */
async function prove(folder: string, control: Control): Promise<Proof["result"]> {
  const patch = patchOf(control);
  await runIn(folder, "git", ["apply", patch]);
  const without = await outcomeIn(folder, control.test);
  await runIn(folder, "git", ["apply", "--reverse", patch]);
  if (without === "passed") return "survived";
  if (without === "absent") throw new Error(`${control.id}: its test does not run without it`);
  const withIt = await outcomeIn(folder, control.test);
  if (withIt !== "passed") throw new Error(`${control.id}: with it, its test has ${withIt}`);
  return "proven";
}

/** Replaces the proof of one control in docs/dossier/proofs.json. */
async function record(proof: Proof): Promise<void> {
  const path = `${ROOT}/docs/dossier/proofs.json`;
  const ids = new Set(controlsOf(readHazards()).filter(hasPatch).map(({ id }) => id));
  const older = (JSON.parse(await Deno.readTextFile(path)) as Proof[]).filter(({ control }) =>
    control !== proof.control && ids.has(control)
  );
  const rows = [...older, proof].sort((a, b) => a.control < b.control ? -1 : 1);
  await Deno.writeTextFile(path, JSON.stringify(rows, null, 2) + "\n");
}

if (import.meta.main) {
  const names = Deno.args.filter((arg) => arg !== "--write"),
    isRecorded = Deno.args.length > names.length;
  const controls = controlsOf(readHazards()).filter((control) =>
    hasPatch(control) && (names.length === 0 || names.includes(control.id))
  );
  const folder = await Deno.makeTempDir({ prefix: "sulcus-mutation-" });
  const date = new Date().toISOString().slice(0, 10);
  let survived = 0, unusable = 0;
  try {
    await copyTree(folder);
    for (const control of controls) {
      const result = await prove(folder, control).catch((error: Error) => error.message);
      print(`${control.id}: ${result}`);
      if (result !== "proven" && result !== "survived") {
        unusable++;
        continue;
      }
      if (result === "survived") survived++;
      if (isRecorded) {
        await record({ control: control.id, result, date, digest: digestOf(control, folder) });
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const proven = controls.length - survived - unusable;
  print(`${proven} proven, ${survived} survived, ${unusable} could not be run`);
  Deno.exit(survived + unusable > 0 ? 1 : 0);
}
