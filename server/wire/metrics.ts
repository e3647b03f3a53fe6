// Figures of a running process, in the text format of Prometheus 0.0.4. Any layer counts; one call
// shows all.

type Labels = Record<string, string>;

/**
 * A name of figures: a `counter` only grows until the process ends, a `gauge` is the state at the
 * moment, a `histogram` counts values up to some bounds.
 */
interface Metric {
  name: string;
  kind: "counter" | "gauge" | "histogram";
  help: string;
}

/** A figure of a metric at the moment. */
export interface Sample {
  metric: Metric;
  /** of a histogram, whose figures have names of their own */
  suffix?: "_bucket" | "_sum" | "_count";
  labels?: Labels;
  value: number;
}

/**
 * Names of labels are few and their values too: codes, kinds, stages, never a text that a user
 * typed.
 */
const MAX_SERIES = 1000;

const COUNTERS = {
  sulcus_http_requests_total: "answers of the site by status",
  sulcus_http_seconds_total: "seconds until answers began, in all",
  sulcus_jobs_ended_total: "jobs that ended, by kind and outcome (done, or the code of the error)",
  sulcus_stage_seconds_total: "seconds of the engine's stages, in all",
  sulcus_stage_runs_total: "runs of the engine's stages",
  sulcus_converted_series_total: "series that were converted",
  sulcus_unhandled_errors_total:
    "errors that nothing handled, of the server and the processes beside it",
} as const;
type CounterName = keyof typeof COUNTERS;
/** Name of the gauge by which `/ready` says that the search for leftovers goes on. */
export const LEFTOVERS_METRIC = "sulcus_leftover_search_ratio";

const escaped = (text: string) => text.replace(/[\\"\n]/g, (c) => c === "\n" ? "\\n" : `\\${c}`);
const labelled = (name: string, labels: Labels) => {
  const parts = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return parts.length === 0 ? name : `${name}{${parts.join(",")}}`;
};

/** Counters of this process. */
const counted = new Map<string, { name: CounterName; labels: Labels; value: number }>();

/** Adds to a counter; beyond 1,000 series of all counters nothing is added. */
export function countMetric(name: CounterName, labels: Labels = {}, by = 1): void {
  const key = labelled(name, labels), series = counted.get(key);
  if (series) series.value += by;
  else if (counted.size < MAX_SERIES) counted.set(key, { name, labels, value: by });
}

/** The counters so far. */
export const countedSamples = (): Sample[] =>
  [...counted.values()].map(({ name, labels, value }) => ({
    metric: { name, kind: "counter", help: COUNTERS[name] },
    labels,
    value,
  }));

/** A counter's figure of another process. */
export const counterSample = (name: CounterName, value: number, labels: Labels = {}): Sample => ({
  metric: { name, kind: "counter", help: COUNTERS[name] },
  labels,
  value,
});

/** A gauge's figure. @param name In base units, as Prometheus wants it: seconds, bytes. */
export const gauge = (name: string, help: string, value: number, labels: Labels = {}): Sample => ({
  metric: { name, kind: "gauge", help },
  labels,
  value,
});

/** All samples as one text, those of a metric together. */
export function metricsText(samples: readonly Sample[]): string {
  const byName = Map.groupBy(samples, ({ metric }) => metric.name);
  return [...byName].map(([name, some]) => {
    const { help, kind } = some[0]!.metric;
    const lines = some.map(({ suffix = "", labels = {}, value }) =>
      `${labelled(name + suffix, labels)} ${value}\n`
    );
    return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join("")}`;
  }).join("");
}
