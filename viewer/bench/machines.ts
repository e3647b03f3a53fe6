import { isTooWide, medianRatio } from "@/viewer/bench/paired_timing.ts";
import * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";
import {
  BENCH_CASES,
  benchBytes,
  type BenchCase,
  type BenchResult,
  type BenchSizes,
  USUAL_SIZES,
} from "@/viewer/bench/cases.ts";

/** Benchmark results of one browser on one computer. */
export interface Machine {
  /** name of the machine, e.g. "Chrome 139, 4 cores", or the name of the loaded file */
  name: string;
  measuredAt: string;
  /** memory bandwidth, bytes per second; `null` in older files */
  copyBytesPerSecond: number | null;
  /** file name of the kernels, with a hash of their content; `null` in older files */
  kernels: string | null;
  /** seed of the random inputs; `null` in older files */
  seed: number | null;
  /** version of the program; `null` in older files */
  program: string | null;
  /** architecture of the processor; `null` if the browser does not reveal it */
  processor: string | null;
  sizes: BenchSizes;
  /**
   * whether a file of the user was measured; its name is not kept, because it may name a patient
   */
  isOwn: boolean;
  results: readonly BenchResult[];
}

/** Maximum size of a result file, which usually has 30 kB. */
export const MAX_FILE_BYTES = 300_000;
const MAX_ROWS = 100, MAX_PAIRS = 1000, MAX_NAME = 80;
const time = z.number().check(z.gt(0), z.lte(1e6));
const side = z.int().check(z.gte(1), z.lte(32_767)), shape = z.tuple([side, side, side]);
const fileSchema = z.object({
  suite: z.literal("kernels"),
  browser: z.string().check(z.maxLength(1000)),
  cores: z.number().check(z.gte(1), z.lte(4096)),
  measured_at: z.string().check(z.maxLength(40)),
  copy_bytes_per_second: z.optional(z.nullable(z.number().check(z.gt(0), z.lte(1e14)))),
  kernels: z.optional(z.string().check(z.maxLength(200))),
  seed: z.optional(z.number()),
  program: z.optional(z.string().check(z.maxLength(80))),
  processor: z.optional(z.string().check(z.maxLength(80))),
  sizes: z.optional(z.object({
    shape,
    pane: side,
    file: shape,
    dtype: z.string().check(z.regex(/^[<>|][uif][1248]$/)),
    own: z.boolean(),
  })),
  rows: z.array(z.object({
    name: z.string(),
    value: time,
    baseline: time,
    ok: z.boolean(),
    ratio_low: z.optional(time),
    ratio_high: z.optional(time),
    pairs: z.optional(z.array(z.tuple([time, time])).check(z.maxLength(MAX_PAIRS))),
  })).check(z.maxLength(MAX_ROWS)),
});

/** The browser's name and version from its user agent. */
export function browserName(userAgent: string): string {
  const match = /(Firefox|Edg|OPR|Chrome|Version)\/(\d+)/.exec(userAgent);
  if (!match) return "?";
  const isNewer = /(Edg|OPR)\/(\d+)/.exec(userAgent) ?? match;
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera", Version: "Safari" };
  return `${names[isNewer[1]!] ?? isNewer[1]} ${isNewer[2]}`;
}

/**
 * Makes the stored form of a run, for comparison: the results, and the machine that produced them.
 */
export const recordOf = (
  machine: Machine,
  { userAgent, cores, pixelRatio }: { userAgent: string; cores: number; pixelRatio: number },
): string => {
  const { results, copyBytesPerSecond, measuredAt, kernels, seed, program, processor } = machine;
  return JSON.stringify(
    {
      suite: "kernels",
      browser: userAgent,
      cores,
      pixel_ratio: pixelRatio,
      measured_at: measuredAt,
      copy_bytes_per_second: copyBytesPerSecond,
      ...(kernels === null ? {} : { kernels }),
      ...(seed === null ? {} : { seed }),
      ...(program === null ? {} : { program }),
      ...(processor === null ? {} : { processor }),
      sizes: { ...machine.sizes, own: machine.isOwn },
      rows: results.map(({ name, kernelMs, plainMs, ratio, interval, pairs, isRight }) => ({
        suite: "kernels",
        name,
        value: kernelMs,
        unit: "ms",
        baseline: plainMs,
        ratio,
        ratio_low: interval[0],
        ratio_high: interval[1],
        bar: null,
        ok: isRight,
        pairs,
      })),
    },
    null,
    1,
  );
};

const isCase = (name: string): name is BenchCase =>
  (BENCH_CASES as readonly string[]).includes(name);

/**
 * Parses results written by {@link recordOf}; kernels unknown to this version are ignored.
 * @throws {AppError} `input.invalid` for any other text.
 */
export function machineOf(text: string, fileName: string): Machine {
  const refuse = () =>
    new AppError("input.invalid", `Cannot read figures of kernels in ${fileName}`);
  let parsed;
  try {
    parsed = z.safeParse(fileSchema, JSON.parse(text));
  } catch {
    throw refuse();
  }
  if (!parsed.success) throw refuse();
  const { browser, cores, measured_at, copy_bytes_per_second = null, rows } = parsed.data;
  const { kernels = null, seed = null, program = null, processor = null } = parsed.data;
  const { own: isOwn, ...sizes } = parsed.data.sizes ?? { ...USUAL_SIZES, own: false };
  const results = rows.flatMap((row): BenchResult[] => {
    const { name, value, baseline, ok, pairs = [] } = row;
    if (!isCase(name)) return [];
    const ratio = pairs.length > 0 ? medianRatio(pairs) : value / baseline;
    // older files contain only the best times, without the rounds
    const interval = [row.ratio_low ?? ratio, row.ratio_high ?? ratio] as const;
    return [{
      name,
      kernelMs: value,
      plainMs: baseline,
      ratio,
      interval,
      isNoisy: isTooWide(ratio, interval),
      pairs,
      isRight: ok,
    }];
  });
  if (results.length === 0) throw refuse();
  return {
    name: `${fileName.replace(/\.json$/i, "")} (${browserName(browser)}, ${cores})`.slice(
      0,
      MAX_NAME,
    ),
    measuredAt: measured_at,
    copyBytesPerSecond: copy_bytes_per_second,
    kernels,
    seed,
    program,
    processor,
    sizes,
    isOwn,
    results,
  };
}

/** Whether a kernel had inputs of the same size on both machines. */
export function didTheSame(name: BenchCase, a: Machine, b: Machine): boolean {
  if (name === "rasterise") return true;
  const of = ({ isOwn, sizes: { shape, pane, file, dtype } }: Machine) =>
    name === "decode" ? [isOwn, file, dtype] : name === "slice" ? [shape] : [isOwn, shape, pane];
  return JSON.stringify(of(a)) === JSON.stringify(of(b));
}

/**
 * Fraction of the memory bandwidth that a kernel reaches; above 1 if data are in caches.
 * `null` for kernels that arithmetic limits.
 */
export function partOfRoof(
  { name, kernelMs }: BenchResult,
  { copyBytesPerSecond, sizes }: Pick<Machine, "copyBytesPerSecond" | "sizes">,
): number | null {
  const bytes = benchBytes(name, sizes);
  return bytes === null || copyBytesPerSecond === null
    ? null
    : bytes / kernelMs * 1000 / copyBytesPerSecond;
}
