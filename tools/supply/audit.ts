// deno task audit: the packages of deno.lock and tests/deno.lock and the crates of wasm/Cargo.lock against the lists of known weaknesses.
// Exit code 0: both lists were read and name nothing; 1: a list names something; 2: a list could not be read, or its
// program is missing (`cargo install cargo-audit --locked`), so that nothing is known.
import { fileURLToPath } from "node:url";

const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text.trimEnd() + "\n"));

type Verdict = "nothing" | "found" | "unknown";

export interface Ended {
  code: number;
  stdout: string;
}

/** Of `deno audit`: it writes to its standard output whenever it has read the list, and only then. */
export const npmVerdict = ({ code, stdout }: Ended): Verdict =>
  stdout.trim() === "" ? "unknown" : code === 0 ? "nothing" : "found";

/** Of `cargo audit --json`: an object with `vulnerabilities` and `warnings`, unless it could not read the list. */
export function crateVerdict({ stdout }: Ended): Verdict {
  try {
    const { vulnerabilities, warnings } = JSON.parse(stdout);
    return vulnerabilities.found || Object.keys(warnings).length > 0 ? "found" : "nothing";
  } catch {
    return "unknown";
  }
}

/** 1 when a list names something, otherwise 2 when one could not be read, otherwise 0. */
export function exitCode(verdicts: readonly Verdict[]): 0 | 1 | 2 {
  return verdicts.includes("found") ? 1 : verdicts.includes("unknown") ? 2 : 0;
}

const LISTS = [
  {
    name: "npm packages",
    program: Deno.execPath(),
    args: ["audit"],
    folder: "../..",
    verdictOf: npmVerdict,
  },
  {
    name: "npm packages of the tests",
    program: Deno.execPath(),
    args: ["audit"],
    folder: "../../tests",
    verdictOf: npmVerdict,
  },
  {
    name: "Rust crates",
    program: "cargo",
    args: ["audit", "--json"],
    folder: "../../wasm",
    verdictOf: crateVerdict,
  },
] as const;

const SAID: Record<Verdict, string> = {
  nothing: "nothing is known against them",
  found: "weaknesses are known, see above",
  unknown: "NOT LOOKED UP: the list could not be read",
};

async function look({ program, args, folder, verdictOf }: typeof LISTS[number]): Promise<Verdict> {
  const cwd = fileURLToPath(new URL(folder, import.meta.url));
  const command = new Deno.Command(program, { args: [...args], cwd, env: { NO_COLOR: "1" } });
  const output = await command.output().catch((error: Error) => {
    print(`Cannot run ${program}: ${error.message}`);
    return null;
  });
  if (output === null) return "unknown";
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes), stdout = text(output.stdout);
  const verdict = verdictOf({ code: output.code, stdout });
  if (verdict === "found") print(stdout);
  if (verdict === "unknown") print(text(output.stderr));
  return verdict;
}

if (import.meta.main) {
  const verdicts: Verdict[] = [];
  for (const list of LISTS) verdicts.push(await look(list));
  for (const [n, { name }] of LISTS.entries()) print(`${name}: ${SAID[verdicts[n]!]}`);
  Deno.exit(exitCode(verdicts));
}
