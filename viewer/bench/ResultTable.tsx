import { useText } from "@/client/page/language.ts";
import { benchText } from "@/model/text/viewer/bench.ts";
import { BENCH_CASES, type BenchResult } from "@/viewer/bench/cases.ts";
import { millisecondsText, useCaseName } from "@/viewer/bench/case_name.ts";
import { type Machine, partOfRoof } from "@/viewer/bench/machines.ts";
import { KERNEL_SOURCES } from "@/viewer/bench/sources.ts";

/** Formats how many times faster the kernel is than plain JavaScript. */
const speedOf = (ratio: number) => (1 / ratio).toFixed(1);

const CELL = "px-3 h-11 text-right tabular-nums whitespace-nowrap";
const LAST_COLUMNS = ["kernel", "plain", "times", "roof", "answer"] as const;

/** Formats the speed ratio with its interval, or advises to measure again. */
function Speed(
  { result: { ratio, interval: [low, high], isNoisy, pairs } }: { result: BenchResult },
) {
  const text = useText(benchText);
  if (isNoisy) {
    return (
      <span className="inline-block w-24 whitespace-normal text-[13px] leading-4 font-normal">
        {text("noisy")}
      </span>
    );
  }
  return (
    <>
      {text("faster", { times: speedOf(ratio) })}
      {pairs.length > 0 && (
        <span className="block text-xs font-normal text-ink-soft">
          {text("fasterInterval", { low: speedOf(high), high: speedOf(low) })}
        </span>
      )}
    </>
  );
}

/** Results of one machine, one row per kernel with a link to its source. */
export function ResultTable(
  { results, copyBytesPerSecond, sizes }: Pick<
    Machine,
    "results" | "copyBytesPerSecond" | "sizes"
  >,
) {
  const text = useText(benchText), caseName = useCaseName();
  return (
    <table className="mt-5 w-full text-sm bg-white border border-line rounded-md border-collapse">
      <thead>
        <tr className="text-[13px] text-ink-soft border-b border-line">
          <th scope="col" className="px-4 h-10 text-left font-medium">{text("case")}</th>
          {LAST_COLUMNS.map((key) => (
            <th
              key={key}
              scope="col"
              className="px-3 h-10 text-right font-medium whitespace-nowrap"
            >
              {text(key)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {BENCH_CASES.map((name) => {
          const result = results.find((each) => each.name === name);
          const part = result && !result.isNoisy
            ? partOfRoof(result, { copyBytesPerSecond, sizes })
            : undefined;
          return (
            <tr key={name} className="border-b border-line">
              <th scope="row" className="px-4 py-2 text-left font-normal text-ink">
                {caseName(name, sizes)}
                {KERNEL_SOURCES[name] && (
                  <a
                    href={KERNEL_SOURCES[name]}
                    className="ml-2 text-[13px] text-brand-700 underline whitespace-nowrap"
                    aria-label={text("sourceOf", { name: caseName(name, sizes) })}
                  >
                    {text("source")}
                  </a>
                )}
              </th>
              <td className={CELL}>{result ? millisecondsText(result.kernelMs) : "–"}</td>
              <td className={CELL}>{result ? millisecondsText(result.plainMs) : "–"}</td>
              <td className={`${CELL} font-medium`}>
                {result ? <Speed result={result} /> : "–"}
              </td>
              <td className={CELL}>{part == null ? "–" : `${Math.round(part * 100)}\u00a0%`}</td>
              <td
                className={`${CELL} ${result && !result.isRight ? "text-red-700 font-medium" : ""}`}
              >
                {result ? text(result.isRight ? "right" : "wrong") : "–"}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
