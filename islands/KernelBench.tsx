import { useEffect, useRef, useState } from "react";
import { useText } from "@/client/page/language.ts";

import { presentError, presentToast } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { ProgressBar } from "@/components/ProgressBar.tsx";
import { measureInWorker } from "@/viewer/bench/bench_client.ts";
import { benchText } from "@/model/text/viewer/bench.ts";
import { BENCH_CASES, type BenchResult } from "@/viewer/bench/cases.ts";

type State = "idle" | "running" | "done";

/** What engineers compare: the figures, and on what they were measured. */
const recordOf = (results: readonly BenchResult[]): string =>
  JSON.stringify(
    {
      suite: "kernels",
      browser: navigator.userAgent,
      cores: navigator.hardwareConcurrency,
      pixel_ratio: devicePixelRatio,
      measured_at: new Date().toISOString(),
      rows: results.map(({ name, kernelMs, plainMs, ratio, isRight }) => ({
        suite: "kernels",
        name,
        value: kernelMs,
        unit: "ms",
        baseline: plainMs,
        ratio,
        bar: null,
        ok: isRight,
      })),
    },
    null,
    1,
  );

/** Measures the image kernels in the visitor's browser and gives the figures as JSON. */
export default function KernelBench() {
  const text = useText(benchText);
  const [state, setState] = useState<State>("idle"), [results, setResults] = useState<BenchResult[]>([]);
  const leaving = useRef<AbortController>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  const run = async () => {
    const stop = leaving.current = new AbortController();
    setState("running");
    setResults([]);
    const measured: BenchResult[] = [];
    try {
      await measureInWorker((result) => {
        measured.push(result);
        setResults([...measured]);
      }, stop.signal);
      setState("done");
    } catch (error) {
      if (stop.signal.aborted) return;
      setState("idle");
      presentError(error);
    }
  };
  const right = results.filter(({ isRight }) => isRight).length, total = BENCH_CASES.length;
  return (
    <section aria-labelledby="bench-title" className="max-w-[880px] mx-auto px-6 py-8">
      <h1 id="bench-title" className="text-xl font-semibold text-ink">{text("title")}</h1>
      <p className="mt-2 text-sm leading-relaxed text-ink-soft">{text("lead")}</p>
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
          {state === "done" && text("done", { right, total })}
        </p>
      </div>
      <ResultTable results={results} />
      {state === "done" && <JsonButtons json={recordOf(results)} />}
    </section>
  );
}

const CELL = "px-4 h-11 text-right tabular-nums";

function ResultTable({ results }: { results: readonly BenchResult[] }) {
  const text = useText(benchText);
  const milliseconds = (value: number) => value < 10 ? value.toFixed(2) : value.toFixed(1);
  return (
    <table className="mt-5 w-full text-sm bg-white border border-line rounded-md border-collapse">
      <thead>
        <tr className="text-[13px] text-ink-soft border-b border-line">
          <th scope="col" className="px-4 h-10 text-left font-medium">{text("case")}</th>
          {(["kernel", "plain", "times", "answer"] as const).map((key) => (
            <th key={key} scope="col" className="px-4 h-10 text-right font-medium whitespace-nowrap">
              {text(key)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {BENCH_CASES.map((name) => {
          const result = results.find((each) => each.name === name);
          return (
            <tr key={name} className="border-b border-line">
              <th scope="row" className="px-4 h-11 text-left font-normal text-ink">{text(name)}</th>
              <td className={CELL}>{result ? milliseconds(result.kernelMs) : "–"}</td>
              <td className={CELL}>{result ? milliseconds(result.plainMs) : "–"}</td>
              <td className={`${CELL} font-medium`}>
                {result ? text("faster", { times: (1 / result.ratio).toFixed(1) }) : "–"}
              </td>
              <td className={`${CELL} ${result && !result.isRight ? "text-red-700 font-medium" : ""}`}>
                {result ? text(result.isRight ? "right" : "wrong") : "–"}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function JsonButtons({ json }: { json: string }) {
  const text = useText(benchText), link = useRef<HTMLAnchorElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(json);
      presentToast("clipboard.copied");
    } catch {
      presentToast("clipboard.failed");
    }
  };
  const download = () => {
    const url = URL.createObjectURL(new Blob([json], { type: "application/json" }));
    Object.assign(link.current!, { href: url, download: "sulcus-kernels.json" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  return (
    <div className="mt-4 flex gap-3">
      <Button onClick={copy}>{text("copy")}</Button>
      <Button onClick={download}>{text("download")}</Button>
      <a ref={link} hidden />
    </div>
  );
}
