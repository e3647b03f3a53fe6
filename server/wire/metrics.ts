// Prometheus metrics of a running process, in text format 0.0.4.
// All parts of the program record values; metricsText() renders them.

type Labels = Record<string, string>;

/**
 * Metric of Prometheus: a `counter` only increases until the process ends, a `gauge` is a current
 * value, a `histogram` counts values up to given bounds.
 */
interface Metric {
  name: string;
  kind: "counter" | "gauge" | "histogram";
  help: string;
}

/** A current value of a Prometheus metric. */
export interface Sample {
  metric: Metric;
  /** end of the sample's name in a histogram */
  suffix?: "_bucket" | "_sum" | "_count";
  labels?: Labels;
  value: number;
}

/** Maximum number of combinations of labels, which are codes or stages, never text of users. */
const MAX_SERIES = 1000;

/**
 * All metrics with kind and description, as Prometheus shows them.
 * The reference documentation of metrics is generated from this table.
 */
export const METRICS = {
  sulcus_build_info: ["gauge", "1, with the version"],
  process_start_time_seconds: ["gauge", "when this process began, since 1970"],
  process_resident_memory_bytes: ["gauge", "memory of this process"],
  sulcus_heap_bytes: ["gauge", "JavaScript's part of it"],
  sulcus_disk_free_bytes: ["gauge", "free on the disk of the data folder"],
  sulcus_disk_size_bytes: ["gauge", "of the disk of the data folder"],
  sulcus_disk_writable: [
    "gauge",
    "whether the data folder, stored images and exports take a new file",
  ],
  sulcus_leftover_search_ratio: [
    "gauge",
    "part searched for leftovers since the start; 1: the search is over",
  ],
  sulcus_database_up: ["gauge", "whether the database answers"],
  sulcus_database_seconds: ["gauge", "how long the database took for the count of jobs"],
  sulcus_jobs: ["gauge", "jobs by status"],
  sulcus_oldest_queued_job_seconds: ["gauge", "age of the oldest job that waits"],
  sulcus_jobs_ended_total: [
    "counter",
    "jobs that ended, by kind and outcome (done, or the code of the error)",
  ],
  sulcus_stage_seconds_total: ["counter", "seconds of the engine's stages, in all"],
  sulcus_stage_runs_total: ["counter", "runs of the engine's stages"],
  sulcus_converted_series_total: ["counter", "series that were converted"],
  sulcus_local_norms_left_interval: [
    "gauge",
    "scanners with norms from routine studies that have left their interval",
  ],
  sulcus_scanners_changed: ["gauge", "scanners with results that have changed by control charts"],
  sulcus_chart_limit_ratio: [
    "gauge",
    "cumulative sum of a control chart as a part of its limit, by scanner, protocol, coil, engine and chart",
  ],
  sulcus_chart_changed: ["gauge", "whether a control chart has signalled a change, by the same"],
  sulcus_chart_studies: ["gauge", "studies in the control charts, by the same without the chart"],
  sulcus_chart_monitored: [
    "gauge",
    "whether the charts have learnt their baseline (else a change is not found yet), by the same",
  ],
  sulcus_scanners_stopped: [
    "gauge",
    "scanners with withheld percentiles and no decision about them",
  ],
  sulcus_sockets: ["gauge", "open sockets of pages"],
  sulcus_http_requests_total: ["counter", "answers of the site by status"],
  sulcus_http_seconds_total: ["counter", "seconds until answers began, in all"],
  sulcus_http_request_seconds: ["histogram", "seconds until an answer began, by route"],
  sulcus_unhandled_errors_total: [
    "counter",
    "errors that nothing handled, of the server and the processes beside it",
  ],
  sulcus_dicom_series: ["gauge", "series that came over the network, by state"],
  sulcus_outbox_results: ["gauge", "results for other systems, by system and state"],
  sulcus_pulls: ["gauge", "studies asked of archives, by archive and state"],
  sulcus_connection_queues_standing: [
    "gauge",
    "queues of what comes and goes over the network that have waited for longer than the setting says",
  ],
  sulcus_commitments_open: ["gauge", "storage commitments that are not answered yet"],
  sulcus_gate_associations: ["gauge", "associations that are open"],
  sulcus_gate_resident_bytes: ["gauge", "memory of the gate"],
  sulcus_gate_instances_total: ["counter", "instances stored since the gate was started"],
  sulcus_gate_bytes_total: ["counter", "bytes stored since the gate was started"],
  sulcus_gate_rejected_total: ["counter", "associations and connections refused since then"],
  sulcus_hl7_messages: ["gauge", "HL7 messages of the last 30 days, by state"],
  sulcus_gate_messages_total: ["counter", "HL7 messages stored since the gate was started"],
  sulcus_gate_messages_refused_total: ["counter", "HL7 messages and senders refused since then"],
  sulcus_gate_messages_queued: ["gauge", "HL7 messages that the server has not fetched yet"],
} as const satisfies Record<string, readonly [kind: Metric["kind"], help: string]>;
export type MetricName = keyof typeof METRICS;
type CounterName = {
  [Name in MetricName]: (typeof METRICS)[Name][0] extends "counter" ? Name : never;
}[MetricName];
/** Gauge in which `/ready` sees that the search for unreferenced files (leftovers) is running. */
export const LEFTOVERS_METRIC = "sulcus_leftover_search_ratio";

/** Name, kind and description of a metric. */
export const metricOf = (name: MetricName): Metric => ({
  name,
  kind: METRICS[name][0],
  help: METRICS[name][1],
});

/** Creates a sample of a metric. */
export const sample = (name: MetricName, value: number, labels: Labels = {}): Sample => ({
  metric: metricOf(name),
  labels,
  value,
});

const escaped = (text: string) => text.replace(/[\\"\n]/g, (c) => c === "\n" ? "\\n" : `\\${c}`);
const labelled = (name: string, labels: Labels) => {
  const parts = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return parts.length === 0 ? name : `${name}{${parts.join(",")}}`;
};

/** Counters of this process, by name and labels. */
const counted = new Map<string, { name: CounterName; labels: Labels; value: number }>();

/** Increments a counter; ignored for a new counter beyond {@link MAX_SERIES}. */
export function countMetric(name: CounterName, labels: Labels = {}, by = 1): void {
  const key = labelled(name, labels), series = counted.get(key);
  if (series) series.value += by;
  else if (counted.size < MAX_SERIES) counted.set(key, { name, labels, value: by });
}

/** Samples of all counters. */
export const countedSamples = (): Sample[] =>
  [...counted.values()].map(({ name, labels, value }) => sample(name, value, labels));

/** Renders samples as text for Prometheus, grouped by metric. */
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
