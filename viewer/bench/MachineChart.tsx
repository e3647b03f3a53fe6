import { useText } from "@/client/page/language.ts";
import { CloseIcon } from "@/components/dialog/CloseIcon.tsx";
import { benchText } from "@/model/text/viewer/bench.ts";
import { BENCH_CASES, type BenchResult } from "@/viewer/bench/cases.ts";
import { compareTimes } from "@/viewer/bench/paired_timing.ts";
import { didTheSame, type Machine } from "@/viewer/bench/machines.ts";
import { millisecondsText, useCaseName } from "@/viewer/bench/case_name.ts";

/**
 * Bar colours of Okabe and Ito, distinguishable with any colour vision; bars also differ in length.
 */
const COLOURS = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#8a8a00",
  "#555555",
];
/** Maximum number of compared machines: one colour for each. */
export const MAX_MACHINES = COLOURS.length;

/** Shows the ratio of a kernel's time on a machine to the time on the first machine. */
function Against(
  { first, other }: { first: BenchResult | undefined; other: BenchResult | undefined },
) {
  const text = useText(benchText);
  // result files of older versions contain no times of rounds
  if (!first?.pairs.length || !other?.pairs.length) return null;
  const roundsOf = ({ pairs }: BenchResult) => pairs.map(([kernelMs]) => kernelMs);
  const { ratio, interval: [low, high] } = compareTimes(roundsOf(first), roundsOf(other));
  const values = { times: ratio.toFixed(2), low: low.toFixed(2), high: high.toFixed(2) };
  return (
    <span className="basis-full">
      {text(low <= 1 && high >= 1 ? "asFastAs" : "slowerThan", values)}
    </span>
  );
}

/**
 * Time of each kernel on each machine, as bars relative to the slowest.
 * @param onRemove Removes a machine from the comparison.
 * The first machine is this computer once it has results.
 */
export function MachineChart(
  { machines, onRemove }: { machines: readonly Machine[]; onRemove: (machine: Machine) => void },
) {
  const text = useText(benchText), caseName = useCaseName();
  return (
    <section aria-labelledby="machines-title" className="mt-8">
      <h2 id="machines-title" className="text-base font-semibold text-ink">{text("machines")}</h2>
      <p className="mt-1 text-sm text-ink-soft">{text("machinesLead")}</p>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-2 text-sm text-ink">
        {machines.map((machine, at) => (
          <li key={at} className="flex items-center gap-2">
            <span
              aria-hidden="true"
              className="chart-colour w-3 h-3 rounded-sm"
              style={{ background: COLOURS[at] }}
            />
            {machine.name}
            {machine.copyBytesPerSecond !== null && (
              <span className="text-ink-soft">
                {text("copyRate", { rate: (machine.copyBytesPerSecond / 1e9).toFixed(1) })}
              </span>
            )}
            <button
              type="button"
              onClick={() => onRemove(machine)}
              aria-label={text("removeMachine", { name: machine.name })}
              className="w-6 h-6 inline-flex items-center justify-center rounded text-ink-soft hover:bg-brand-50"
            >
              <CloseIcon />
            </button>
          </li>
        ))}
      </ul>
      <dl className="mt-4 space-y-4">
        {BENCH_CASES.map((name) => {
          const results = machines.map(({ results }) => results.find((each) => each.name === name));
          const times = results.map((result) => result?.kernelMs);
          const slowest = Math.max(...times.map((time) => time ?? 0));
          return (
            <div key={name}>
              <dt className="text-sm text-ink">{caseName(name, machines[0]!.sizes)}</dt>
              {times.map((time, at) => (
                <dd
                  key={at}
                  className="mt-1 flex flex-wrap items-center gap-x-2 text-[13px] tabular-nums text-ink-soft"
                >
                  <span className="sr-only">{machines[at]!.name}</span>
                  <span
                    aria-hidden="true"
                    className="chart-colour h-3 shrink-0 rounded-sm"
                    style={{ width: `${80 * (time ?? 0) / slowest}%`, background: COLOURS[at] }}
                  />
                  {time === undefined ? "–" : `${millisecondsText(time)}\u00a0ms`}
                  {at > 0 && time !== undefined &&
                    (didTheSame(name, machines[0]!, machines[at]!)
                      ? <Against first={results[0]} other={results[at]} />
                      : <span className="basis-full">{text("otherInputs")}</span>)}
                </dd>
              ))}
            </div>
          );
        })}
      </dl>
    </section>
  );
}
