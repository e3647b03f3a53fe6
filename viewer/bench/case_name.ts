import { useText } from "@/client/page/language.ts";
import { benchText } from "@/model/text/viewer/bench.ts";
import type { BenchCase, BenchSizes } from "@/viewer/bench/cases.ts";

/** Names of the kernels' tasks, with the sizes of the inputs. */
export function useCaseName(): (name: BenchCase, sizes: BenchSizes) => string {
  const text = useText(benchText);
  return (name, { shape: [, ny, nz], pane, file, dtype }) =>
    text(name, { pane, ny, nz, file: file.join("\u00a0×\u00a0"), bits: 8 * Number(dtype[2]) });
}

/** A time in ms with two digits at least: kernels on small images take microseconds. */
export const millisecondsText = (ms: number): string =>
  ms < 0.1 ? Number(ms.toPrecision(2)).toString() : ms < 10 ? ms.toFixed(2) : ms.toFixed(1);
