/** Prometheus histogram of the time to the first byte of HTTP responses, by route. */
import { metricOf, type Sample } from "@/server/wire/metrics.ts";

/** Upper bounds of the histogram's buckets, seconds; the last bucket has no bound. */
const BOUNDS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Maximum number of routes; routes are patterns, so that requests cannot add any. */
const MAX_ROUTES = 500;
const METRIC = metricOf("sulcus_http_request_seconds");

interface Histogram {
  /** number of responses per bucket, not cumulative */
  counts: number[];
  seconds: number;
}
const histograms = new Map<string, Histogram>();

/**
 * A route without the patterns of parameters:
 * `GET /patients/:pid{[0-9]+}` becomes `GET /patients/:pid`.
 */
function plain(route: string): string {
  let depth = 0, text = "";
  for (const sign of route) {
    if (sign === "{") depth++;
    if (depth === 0) text += sign;
    if (sign === "}") depth--;
  }
  return text;
}

/** Records a response. @param route Method and pattern, never an address; `null`: unknown route. */
export function observeAnswer(route: string | null, seconds: number): void {
  const name = route === null ? "other" : plain(route);
  let histogram = histograms.get(name);
  if (histogram === undefined) {
    if (histograms.size >= MAX_ROUTES) return;
    histograms.set(name, histogram = { counts: Array(BOUNDS_S.length + 1).fill(0), seconds: 0 });
  }
  const bucket = BOUNDS_S.findIndex((bound) => seconds <= bound);
  histogram.counts[bucket < 0 ? BOUNDS_S.length : bucket]!++;
  histogram.seconds += seconds;
}

/** Samples of all histograms, for Prometheus. */
export const latencySamples = (): Sample[] =>
  [...histograms].flatMap(([route, { counts, seconds }]) => {
    let cumulative = 0;
    const buckets = counts.map((count, n) => {
      cumulative += count;
      const le = n < BOUNDS_S.length ? String(BOUNDS_S[n]) : "+Inf";
      return {
        metric: METRIC,
        suffix: "_bucket",
        labels: { route, le },
        value: cumulative,
      } as const;
    });
    return [
      ...buckets,
      { metric: METRIC, suffix: "_sum", labels: { route }, value: seconds } as const,
      { metric: METRIC, suffix: "_count", labels: { route }, value: cumulative } as const,
    ];
  });
