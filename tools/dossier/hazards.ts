// Hazards of docs/dossier/hazards.json, their risk controls, and which controls a mutation has
// proven: its patch removes the control, and the test of the control then fails.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import hazards from "@/docs/dossier/hazards.json" with { type: "json" };
import { codeOf as blanked, literalsOf, withoutComments } from "@/tools/texts/literals.ts";
import proofs from "@/docs/dossier/proofs.json" with { type: "json" };

export const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** A test, identified by file and exact name. */
export interface NamedTest {
  file: string;
  name: string;
}

/** Risk control that reduces the probability or severity of a hazard. */
export interface Control {
  id: string;
  does: string;
  /** source file that implements the control */
  source: string;
  /** test that fails when the control is removed */
  test: NamedTest;
}

export const SEVERITIES = ["negligible", "minor", "serious", "critical"] as const;
export const PROBABILITIES = ["improbable", "remote", "occasional", "probable"] as const;

export interface Hazard {
  id: string;
  title: string;
  cause: string;
  harm: string;
  severity: typeof SEVERITIES[number];
  /** probability of harm with the controls in place */
  probability: typeof PROBABILITIES[number];
  /** justification of the probability */
  rationale: string;
  controls: Control[];
}

/** Result of a mutation run (tests/mutations/run.ts) for a risk control. */
export interface Proof {
  control: string;
  /** `proven`: the test fails without the control; `survived`: it passes without the control */
  result: "proven" | "survived";
  /** date of the run, YYYY-MM-DD */
  date: string;
  /** digest of patch, source and test at the time of the run: SHA-256, 16 digits */
  digest: string;
}

/** State of a control's proof; `earlier`: source, test or patch have changed since the run. */
export type ProofState = "proven" | "earlier" | "survived" | "none";

export const readHazards = (): Hazard[] => hazards as Hazard[];
export const readProofs = (): Proof[] => proofs as Proof[];
export const controlsOf = (list: readonly Hazard[]): Control[] =>
  list.flatMap(({ controls }) => controls);
export const patchOf = ({ id }: Pick<Control, "id">): string => `tests/mutations/${id}.patch`;
export const hasPatch = (control: Control): boolean => existsSync(`${ROOT}/${patchOf(control)}`);

/**
 * Lines of a source without indentation, without empty lines, and without comments that begin a
 * line. Code after such a comment is kept, and so are comments after code.
 */
const codeOf = (text: string): string =>
  withoutComments(text).split("\n").map((line) => line.trim()).filter((line) => line !== "")
    .join("\n");

/** Lines that a patch removes or adds, without the unchanged lines around them. */
const changesOf = (patch: string): string =>
  patch.split("\n").filter((line) => /^[-+](?![-+]{2} )/.test(line)).join("\n");

/**
 * Digest of all direct inputs of a proof: patch, source and test. Comments are left out: a proof
 * does not depend on them.
 */
export function digestOf(control: Control, root = ROOT): string {
  const read = (path: string) => Deno.readTextFileSync(`${root}/${path}`);
  const { source, test } = control;
  return digestOfTexts(read(patchOf(control)), read(source), read(test.file));
}

/** Computes {@link digestOf} from the texts of the patch, the source and the test. */
export function digestOfTexts(patch: string, source: string, test: string): string {
  const digest = createHash("sha256");
  for (const text of [changesOf(patch), codeOf(source), codeOf(test)]) {
    digest.update(text).update("\0");
  }
  return digest.digest("hex").slice(0, 16);
}

export function proofStateOf(control: Control, list: readonly Proof[] = readProofs()): ProofState {
  const proof = list.find((each) => each.control === control.id);
  if (!proof || !hasPatch(control)) return "none";
  if (proof.result === "survived") return "survived";
  return proof.digest === digestOf(control) ? "proven" : "earlier";
}

/** Controls of which the proof is missing, has failed, or is older than their source or test. */
export const unprovenControls = (
  list: readonly Hazard[] = readHazards(),
  proofs: readonly Proof[] = readProofs(),
): { id: string; state: ProofState }[] =>
  controlsOf(list).map((control) => ({ id: control.id, state: proofStateOf(control, proofs) }))
    .filter(({ state }) => state !== "proven");

/** Ending of the name of a test's twin on PostgreSQL, which is registered beside the test. */
const ON_POSTGRES = / \(PostgreSQL\)$/;

/** Calls that register a test or a step: `Deno.test`, the wrappers of tests/sites, `t.step`. */
const TEST_CALL = /(?:(?<![\w.$])(?:Deno\.test|test|[a-z]\w*Test)|(?<=\w\.)step)\(/g;

/**
 * Names of the tests that a source registers: first arguments and `name` fields of calls in code
 * that are string literals. Computed names are not included, nor tests that are always ignored.
 */
export function testNamesIn(source: string): Set<string> {
  const code = blanked(source), names = new Set<string>();
  const literals = literalsOf(source);
  for (const { index, 0: call } of code.matchAll(TEST_CALL)) {
    const first = index + call.length, fields = fieldsOf(code, first);
    if (/(?<![\w.$])(?:ignore|skip)\s*:\s*true\b/.test(fields.own)) continue;
    const field = /(?<![\w.$])name\s*:/.exec(fields.own);
    const start = fields.own === ""
      ? first
      : field
      ? fields.start + field.index + field[0].length
      : -1;
    if (start < 0) continue;
    // only blanks and comments, which are blanks in `code`, may stand before the literal
    const literal = literals.find(({ index }) => index >= start);
    const name = literal && code.slice(start, literal.index).trim() === ""
      ? literal.text
      : undefined;
    if (name !== undefined && !name.includes("${")) names.add(name);
  }
  return names;
}

/**
 * Text of the fields of the object at an offset, with spaces for nested brackets, and its start;
 * empty if the code has no object literal at the offset.
 */
function fieldsOf(code: string, offset: number): { own: string; start: number } {
  const start = offset + /^\s*/.exec(code.slice(offset))![0].length;
  if (code[start] !== "{") return { own: "", start };
  let own = "", depth = 0;
  for (let at = start; at < code.length; at++) {
    const sign = code[at]!, isClosing = ")]}".includes(sign);
    if (isClosing) depth--;
    if (isClosing && depth === 0) break;
    own += depth <= 1 && !isClosing ? sign : " ";
    if ("([{".includes(sign)) depth++;
  }
  return { own, start };
}

/** Faults in a list of hazards, one per line. */
export function problemsOf(list: readonly Hazard[], root = ROOT): string[] {
  const problems: string[] = [], ids = new Set<string>(), names = new Map<string, Set<string>>();
  const claim = (id: string) => {
    if (ids.has(id)) problems.push(`${id} is used twice`);
    ids.add(id);
  };
  const namesOf = (path: string) => {
    const read = names.get(path) ?? testNamesIn(Deno.readTextFileSync(`${root}/${path}`));
    names.set(path, read);
    return read;
  };
  for (const { id, severity, probability, rationale, cause, harm, controls } of list) {
    claim(id);
    if (!SEVERITIES.includes(severity)) problems.push(`${id}: ${severity} is no severity`);
    if (!PROBABILITIES.includes(probability)) {
      problems.push(`${id}: ${probability} is no probability`);
    }
    if (!cause || !harm || !rationale) problems.push(`${id} lacks its cause, harm or rationale`);
    if (controls.length === 0) problems.push(`${id} has no control`);
    for (const control of controls) {
      const { source, test } = control;
      claim(control.id);
      if (!existsSync(`${root}/${source}`)) problems.push(`${control.id}: no file ${source}`);
      if (!existsSync(`${root}/${test.file}`)) problems.push(`${control.id}: no file ${test.file}`);
      else if (!namesOf(test.file).has(test.name.replace(ON_POSTGRES, ""))) {
        problems.push(`${control.id}: ${test.file} has no test "${test.name}"`);
      }
    }
  }
  return problems;
}
