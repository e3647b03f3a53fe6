// deno task audit: checks the packages of deno.lock and tests/deno.lock and the crates of
// wasm/Cargo.lock against lists of known vulnerabilities. cargo-audit checks the crates if
// installed, otherwise osv.dev from the lock file alone. Exit code 0: all lists were read and name
// nothing; 1: a list names something; 2: a list could not be read, with the reason.
import { fileURLToPath } from "node:url";

const print = (text: string) =>
  void Deno.stdout.writeSync(new TextEncoder().encode(text.trimEnd() + "\n"));

type Verdict = "nothing" | "found" | "unknown";

export interface Ended {
  code: number;
  stdout: string;
}

/** Output of `deno audit`: the command writes to standard output only after reading the list. */
export const npmVerdict = ({ code, stdout }: Ended): Verdict =>
  stdout.trim() === "" ? "unknown" : code === 0 ? "nothing" : "found";

/**
 * Output of `cargo audit --json`: an object with `vulnerabilities`
 * and `warnings`, unless the list could not be read.
 */
export function crateVerdict({ stdout }: Ended): Verdict {
  try {
    const { vulnerabilities, warnings } = JSON.parse(stdout);
    return vulnerabilities.found || Object.keys(warnings).length > 0 ? "found" : "nothing";
  } catch {
    return "unknown";
  }
}

/** Registry crates in a `Cargo.lock`; crates of the workspace have no source. */
export function cratesOf(lock: string): { name: string; version: string }[] {
  return lock.split("[[package]]").slice(1).flatMap((text) => {
    const field = (name: string) => new RegExp(`^${name} = "([^"]+)"$`, "m").exec(text)?.[1];
    const name = field("name"), version = field("version");
    return field("source")?.startsWith("registry+") && name && version ? [{ name, version }] : [];
  });
}

const OSV = "https://api.osv.dev/v1/querybatch", OSV_TIMEOUT_MS = 30_000;

/** Queries osv.dev, which includes the RustSec list, for the crates of a `Cargo.lock`. */
export async function askOsv(lock: string, url = OSV): Promise<{ verdict: Verdict; text: string }> {
  const crates = cratesOf(lock);
  try {
    const queries = crates.map(({ name, version }) => ({
      package: { ecosystem: "crates.io", name },
      version,
    }));
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ queries }),
      signal: AbortSignal.timeout(OSV_TIMEOUT_MS),
    });
    if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
    const { results } = await answer.json() as { results?: { vulns?: { id: string }[] }[] };
    if (results?.length !== crates.length) {
      throw new Error(`${url} does not answer about every crate`);
    }
    const lines = crates.flatMap(({ name, version }, n) =>
      (results[n]!.vulns ?? []).map(({ id }) => `${name} ${version}: ${id}`)
    );
    return { verdict: lines.length === 0 ? "nothing" : "found", text: lines.join("\n") };
  } catch (error) {
    const { message, cause } = error as Error,
      why = cause instanceof Error ? `: ${cause.message}` : "";
    return { verdict: "unknown", text: `osv.dev: ${message}${why}` };
  }
}

/** Exit code: 1 if a list names something, otherwise 2 if a list could not be read, otherwise 0. */
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

/** Output line about a list. @param reason Reason why the list could not be read. */
export const lineOf = (name: string, verdict: Verdict, reason: string): string =>
  `${name}: ${
    verdict === "nothing"
      ? "nothing is known against them"
      : verdict === "found"
      ? "weaknesses are known, see above"
      : `NOT LOOKED UP: ${reason}`
  }`;

/** First informative line of an error message. */
const reasonOf = (stderr: string) =>
  stderr.split("\n").find((line) => /\w/.test(line))?.replace(/^error: /, "") ??
    "the list could not be read";

async function look({ name, program, args, folder, verdictOf }: typeof LISTS[number]) {
  const cwd = fileURLToPath(new URL(folder, import.meta.url));
  // uses the system's certificates: they include that of a hospital's proxy, Deno's own list does
  // not
  const DENO_TLS_CA_STORE = Deno.env.get("DENO_TLS_CA_STORE") ?? "system,mozilla";
  const command = new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", DENO_TLS_CA_STORE },
  });
  const output = await command.output().catch((error: Error) => error);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  let verdict: Verdict = "unknown", reason = output instanceof Error ? output.message : "";
  if (!(output instanceof Error)) {
    const stdout = text(output.stdout);
    verdict = verdictOf({ code: output.code, stdout });
    reason = reasonOf(text(output.stderr));
    if (verdict === "found") print(stdout);
  }
  if (verdict === "unknown" && program === "cargo") {
    const { verdict: atOsv, text } = await askOsv(await Deno.readTextFile(`${cwd}/Cargo.lock`));
    verdict = atOsv;
    if (atOsv === "unknown") reason += `; ${text}`;
    else print(text);
  }
  return { verdict, line: lineOf(name, verdict, reason) };
}

if (import.meta.main) {
  const looks = [];
  for (const list of LISTS) looks.push(await look(list));
  for (const { line } of looks) print(line);
  Deno.exit(exitCode(looks.map(({ verdict }) => verdict)));
}
