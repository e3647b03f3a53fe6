import { isTooWide, medianRatio } from "@/viewer/bench/paired_timing.ts";
import * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";
import {
  BENCH_BYTES,
  BENCH_CASES,
  type BenchCase,
  type BenchResult,
} from "@/viewer/bench/cases.ts";

/** Benchmark results of one browser on one computer. */
export interface Machine {
  /** "Chrome 139, 4 cores", or the name of the loaded file */
  name: string;
  measuredAt: string;
  /** memory bandwidth, bytes per second; `null` in older files */
  copyBytesPerSecond: number | null;
  /** file name of the kernels with a hash of its content; `null` in older files */
  kernels: string | null;
  /** seed of the inputs; `null` in older files */
  seed: number | null;
  results: readonly BenchResult[];
}

/** Maximum size of a result file; usually it has 30 kB. */
export const MAX_FILE_BYTES = 300_000;
const MAX_ROWS = 100, MAX_PAIRS = 1000, MAX_NAME = 80;
const time = z.number().check(z.gt(0), z.lte(1e6));
const fileSchema = z.object({
  suite: z.literal("kernels"),
  browser: z.string().check(z.maxLength(1000)),
  cores: z.number().check(z.gte(1), z.lte(4096)),
  measured_at: z.string().check(z.maxLength(40)),
  copy_bytes_per_second: z.optional(z.nullable(z.number().check(z.gt(0), z.lte(1e14)))),
  kernels: z.optional(z.string().check(z.maxLength(200))),
  seed: z.optional(z.number()),
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

/** Record of a run for comparison: the figures, and the machine they were measured on. */
export const recordOf = (
  { results, copyBytesPerSecond, measuredAt, kernels, seed }: Machine,
  { userAgent, cores, pixelRatio }: { userAgent: string; cores: number; pixelRatio: number },
): string =>
  JSON.stringify(
    {
      suite: "kernels",
      browser: userAgent,
      cores,
      pixel_ratio: pixelRatio,
      measured_at: measuredAt,
      copy_bytes_per_second: copyBytesPerSecond,
      ...(kernels === null ? {} : { kernels }),
      ...(seed === null ? {} : { seed }),
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
  const { kernels = null, seed = null } = parsed.data;
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
    results,
  };
}

/**
 * Fraction of the memory bandwidth that a kernel reaches,
 * above 1 from caches; `null` where that is meaningless.
 */
export function partOfRoof(
  { name, kernelMs }: BenchResult,
  copyBytesPerSecond: number | null,
): number | null {
  const bytes = BENCH_BYTES[name];
  return bytes === null || copyBytesPerSecond === null
    ? null
    : bytes / kernelMs * 1000 / copyBytesPerSecond;
}
