/**
 * Engine benchmark: cost of an analysis, and errors against the truth of phantoms, a reference result
 * and lesions drawn by experts. A wrong result fails the benchmark.
 *
 * deno task bench engine [--full] [--only WORDS] [--json FILE] [DIR|FILE.nii.gz]
 *
 * `--full` measures every condition of the phantoms, `--only` the parts with these words in their
 * names. With an input, only that input is measured. Real scans are measured if they are in a folder
 * beside the repository.
 */
import { finish, type Row } from "@/bench/record.ts";
import { invarianceRows } from "@/bench/engine/invariance.ts";
import { attempt, costRows, measure, stageRows } from "@/bench/engine/measure.ts";
import { networkRows } from "@/bench/engine/network.ts";
import { conditionRows, lesionRows, thicknessRows } from "@/bench/engine/phantoms.ts";
import { plainRows, readInput, realHead, scanRows } from "@/bench/engine/scans.ts";
import { CONDITIONS, headOf, scanT1 } from "@/server/commands/demo/phantom/conditions.ts";

/** Cost and volumes of one T1w series that the user names. */
async function inputRows(input: string): Promise<Row[]> {
  const measured = await measure(await readInput(input)), result = measured.outcome.t1!;
  return [
    ...costRows("input", measured, true),
    ...stageRows("input", result.stages),
    ...plainRows("input", result),
  ];
}

async function allRows(isFull: boolean, only: string | undefined): Promise<Row[]> {
  const rows = [
    ...await conditionRows(isFull, only),
    ...await thicknessRows(only),
    ...await lesionRows(only),
    ...await networkRows(only),
  ];
  if (only === undefined || "phantom, invariance".includes(only)) {
    rows.push(
      ...await attempt(
        "phantom, invariance",
        (name) => invarianceRows(name, scanT1(headOf(CONDITIONS[0]!), CONDITIONS[0]!)),
      ),
    );
  }
  rows.push(...await scanRows(only));
  const head = realHead();
  if (head && (only === undefined || "adult, invariance".includes(only))) {
    rows.push(...await attempt("adult, invariance", (name) => invarianceRows(name, head)));
  }
  return rows;
}

if (import.meta.main) {
  const args = [...Deno.args];
  const take = (flag: string): string | undefined => {
    const at = args.indexOf(flag);
    return at < 0 ? undefined : args.splice(at, 2)[1];
  };
  take("--json");
  const only = take("--only"), at = args.indexOf("--full"), isFull = at >= 0;
  if (isFull) args.splice(at, 1);
  const [input] = args;
  finish(
    `deno task bench engine${isFull ? " --full" : ""}`,
    input === undefined
      ? `phantoms${realHead() ? " and real scans" : ""}`
      : `${input.replace(/\/+$/, "").split("/").pop()}`,
    input === undefined ? await allRows(isFull, only) : await inputRows(input),
  );
}
