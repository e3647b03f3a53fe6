import { useEffect, useRef, useState } from "react";
import { useText } from "@/client/page/language.ts";

import { getManual } from "@/client/api/site/about.ts";
import { browserApi } from "@/client/browser_api.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { ProgressBar } from "@/components/ProgressBar.tsx";
import { kernelFile, measureInWorker } from "@/viewer/bench/bench_client.ts";
import { benchText } from "@/model/text/viewer/bench.ts";
import { BENCH_CASES, type BenchCase, type BenchResult } from "@/viewer/bench/cases.ts";
import { browserName, type Machine } from "@/viewer/bench/machines.ts";
import { CompareButton, JsonButtons } from "@/viewer/bench/FileButtons.tsx";
import { DataChoice } from "@/viewer/bench/DataChoice.tsx";
import { MachineChart, MAX_MACHINES } from "@/viewer/bench/MachineChart.tsx";
import { ResultTable } from "@/viewer/bench/ResultTable.tsx";
import { type BenchChoice, sizesOf, USUAL_CHOICE } from "@/viewer/bench/choice.ts";

type State = "idle" | "running" | "done";

/** Kernels selected by `?kernel=` in the address, or all kernels. */
function kernelsOfAddress(): readonly BenchCase[] {
  const names = new URLSearchParams(location.search).getAll("kernel");
  const kernels = BENCH_CASES.filter((name) => names.includes(name));
  return kernels.length > 0 ? kernels : BENCH_CASES;
}

/** Version of the program; `null` when the server does not state it. */
const programOf = () => getManual(browserApi).then(({ version }) => version, () => null);

/** Architecture of the processor, e.g. "x86 64"; `null` where the browser does not reveal it. */
async function processorOf(): Promise<string | null> {
  const { userAgentData } = navigator as { userAgentData?: UserAgentData };
  const values = await userAgentData?.getHighEntropyValues(["architecture", "bitness"]).catch(() =>
    undefined
  );
  return values?.architecture ? `${values.architecture} ${values.bitness ?? ""}`.trim() : null;
}
/** Part of the browser's user-agent data (wicg.github.io/ua-client-hints); not in every browser. */
interface UserAgentData {
  getHighEntropyValues(
    hints: readonly string[],
  ): Promise<{ architecture?: string; bitness?: string }>;
}

/** Measures the image kernels in the visitor's browser and shows the results as JSON. */
export default function KernelBench() {
  const text = useText(benchText);
  const [state, setState] = useState<State>("idle"),
    [results, setResults] = useState<BenchResult[]>([]),
    [total, setTotal] = useState<number>(BENCH_CASES.length);
  const [choice, setChoice] = useState<BenchChoice>(USUAL_CHOICE),
    [measured, setMeasured] = useState<Machine | null>(null),
    [others, setOthers] = useState<Machine[]>([]);
  const leaving = useRef<AbortController>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  const run = async () => {
    const stop = leaving.current = new AbortController();
    setState("running");
    setResults([]);
    setMeasured(null);
    const results: BenchResult[] = [], kernels = kernelsOfAddress();
    const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;
    setTotal(kernels.length);
    try {
      const copyBytesPerSecond = await measureInWorker({ seed, kernels, choice }, (result) => {
        results.push(result);
        setResults([...results]);
      }, stop.signal);
      const browser = browserName(navigator.userAgent), cores = navigator.hardwareConcurrency;
      setMeasured({
        name: text("thisComputer", { browser, cores }),
        measuredAt: new Date().toISOString(),
        copyBytesPerSecond,
        kernels: kernelFile(),
        seed,
        program: await programOf(),
        processor: await processorOf(),
        sizes: sizesOf(choice),
        isOwn: choice.own !== null,
        results,
      });
      setState("done");
    } catch (error) {
      if (stop.signal.aborted) return;
      setState("idle");
      presentError(error);
    }
  };
  const machines = measured ? [measured, ...others] : others;
  const right = results.filter(({ isRight }) => isRight).length,
    noisy = results.filter(({ isNoisy }) => isNoisy).length;
  return (
    <section aria-labelledby="bench-title" className="max-w-[880px] mx-auto px-6 py-8">
      <h1 id="bench-title" className="text-xl font-semibold text-ink">{text("title")}</h1>
      <p className="mt-2 text-sm leading-relaxed text-ink-soft">{text("lead")}</p>
      <DataChoice
        choice={choice}
        isDisabled={state === "running"}
        onChange={(choice) => {
          setChoice(choice);
          setState("idle");
          setResults([]);
          setMeasured(null);
        }}
      />
      <div className="mt-5 flex items-center gap-4 h-10">
        <Button kind="primary" disabled={state === "running"} onClick={run}>
          {text(state === "done" ? "runAgain" : "run")}
        </Button>
        {state === "running" && (
          <div className="w-48">
            <ProgressBar label={text("title")} percent={100 * results.length / total} />
          </div>
        )}
        <p role="status" className="text-sm text-ink-soft">
          {state === "running" && text("running", { done: results.length + 1, total })}
          {state === "done" && [
            text("done", { right, total }),
            noisy > 0 ? text("noisyDone", { count: noisy }) : "",
          ].join(" ")}
        </p>
      </div>
      <ResultTable
        results={results}
        sizes={sizesOf(choice)}
        copyBytesPerSecond={measured?.copyBytesPerSecond ?? null}
      />
      {measured && (
        <p className="mt-2 text-[13px] leading-relaxed text-ink-soft">{text("timesMean")}</p>
      )}
      {measured?.copyBytesPerSecond && (
        <p className="mt-2 text-[13px] leading-relaxed text-ink-soft">
          {text("roofMeans", { rate: (measured.copyBytesPerSecond / 1e9).toFixed(1) })}
        </p>
      )}
      <div className="mt-4 flex flex-wrap gap-3">
        {measured && <JsonButtons machine={measured} />}
        <CompareButton
          room={MAX_MACHINES - machines.length}
          onMachines={(added) => setOthers((before) => [...before, ...added])}
        />
      </div>
      {others.length > 0 && (
        <MachineChart
          machines={machines}
          onRemove={(machine) =>
            machine === measured
              ? setMeasured(null)
              : setOthers((before) => before.filter((each) => each !== machine))}
        />
      )}
    </section>
  );
}
