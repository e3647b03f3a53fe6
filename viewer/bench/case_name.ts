import { useText } from "@/client/page/language.ts";
import { benchText } from "@/model/text/viewer/bench.ts";
import type { BenchCase, BenchSizes } from "@/viewer/bench/cases.ts";

/** Names of the benchmarked tasks for the page, with the sizes of the inputs. */
export function useCaseName(): (name: BenchCase, sizes: BenchSizes) => string {
  const text = useText(benchText);
  return (name, { shape: [, ny, nz], pane, file, dtype }) =>
    text(name, { pane, ny, nz, file: file.join("\u00a0×\u00a0"), bits: 8 * Number(dtype[2]) });
}

/** Formats a time in ms with at least two digits: kernels on small images take microseconds. */
export const millisecondsText = (ms: number): string =>
  ms < 0.1 ? Number(ms.toPrecision(2)).toString() : ms < 10 ? ms.toFixed(2) : ms.toFixed(1);
