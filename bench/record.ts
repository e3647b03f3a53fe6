// Common format of all benchmarks: rows with measured values, and the machine.
import { cpus } from "node:os";
import { dirname } from "node:path";

/** A measured value. `ratio` = value / baseline of the same run; `ok`: correct and below limit. */
export interface Row {
  suite:
    | "kernels"
    | "viewer"
    | "first_picture"
    | "engine"
    | "server"
    | "worklist"
    | "upload"
    | "sign_in"
    | "report"
    | "crash"
    | "pages"
    | "sockets"
    | "soak"
    | "restart"
    | "attack"
    | "database"
    | "truth"
    | "grade"
    | "regions"
    | "norms"
    | "drift"
    | "reading"
    | "tasks"
    | "alignment"
    | "encryption"
    | "clients"
    | "scale"
    | "gate"
    | "workers"
    | "faults";
  name: string;
  value: number;
  unit: string;
  baseline: number | null;
  ratio: number | null;
  /** 95 % interval of the ratio, for rounds measured in pairs */
  interval?: readonly [low: number, high: number] | null;
  bar: number | string | null;
  ok: boolean;
  /** measurements of the value, and of the baseline, by round */
  samples?: readonly (readonly number[])[];
}

/**
 * Returns a function that makes rows of a suite, rounded to a number of decimal places.
 * By default a row has neither baseline nor limit, and is ok.
 */
export function rowMaker(suite: Row["suite"], decimals = 2) {
  const scale = 10 ** decimals, rounded = (value: number) => Math.round(value * scale) / scale;
  return (
    name: string,
    value: number,
    unit: string,
    given: Partial<Pick<Row, "baseline" | "bar" | "ok">> = {},
  ): Row => {
    const { baseline = null, bar = null, ok = true } = given;
    return {
      suite,
      name,
      value: rounded(value),
      unit,
      baseline: baseline === null ? null : rounded(baseline),
      ratio: baseline === null ? null : rounded(value / baseline),
      bar,
      ok,
    };
  };
}

/** Value of a command line option: the argument after `--name`. */
export function optionOf(name: string): string | undefined {
  const at = Deno.args.indexOf(`--${name}`);
  return at < 0 ? undefined : Deno.args[at + 1];
}

/** Prints the rows, writes them to the file after `--json`, and exits with 1 if any is not ok. */
export function finish(
  command: string,
  input: string,
  rows: readonly Row[],
  args = Deno.args,
): never {
  const commit = new Deno.Command("git", {
    args: ["rev-parse", "--short", "HEAD"],
    stderr: "null",
  });
  const record = {
    command,
    input,
    commit: new TextDecoder().decode(commit.outputSync().stdout).trim(),
    runtime: `Deno ${Deno.version.deno}, V8 ${Deno.version.v8}`,
    cpu: `${cpus()[0]?.model ?? "unknown"}, ${cpus().length} cores, load ${
      Deno.loadavg()[0]!.toFixed(1)
    }`,
    rows,
  };
  const at = args.indexOf("--json");
  if (at >= 0) {
    const path = args[at + 1]!;
    Deno.mkdirSync(dirname(path), { recursive: true });
    // writes each list of samples on one line
    const text = JSON.stringify(record, null, 1).replaceAll(
      /\[\s+(-?[\d.e-]+(?:,\s+-?[\d.e-]+)*)\s+\]/g,
      (_, numbers: string) => `[${numbers.replaceAll(/\s+/g, " ")}]`,
    );
    Deno.writeTextFileSync(path, text + "\n");
  }
  const lines = rows.map((r) =>
    `${r.ok ? "ok  " : "FAIL"} ${r.name}: ${r.value} ${r.unit}${
      r.ratio === null ? "" : ` (×${r.ratio}${r.interval ? `, ${r.interval.join("–")}` : ""})`
    }${r.bar === null ? "" : ` [${r.bar}]`}`
  );
  Deno.stdout.writeSync(new TextEncoder().encode(lines.join("\n") + "\n"));
  Deno.exit(rows.some((r) => !r.ok) ? 1 : 0);
}
