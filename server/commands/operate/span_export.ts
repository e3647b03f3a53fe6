// Spans of requests, sent to a collector by OpenTelemetry's protocol (OTLP/HTTP 1.x, JSON).
import { createHash } from "node:crypto";
import type { Log } from "@/model/site/log.ts";
import { VERSION } from "@/server/core/site/service/status.ts";
import { sendSpansTo, type Span } from "@/server/core/database/trace.ts";

const EVERY_MS = 5_000, TIMEOUT_MS = 10_000;
/** Maximum number of queued spans while the collector does not respond; more spans are dropped. */
const MOST = 4096;
const SERVER = 2, INTERNAL = 1, ERROR = 2;

/** Trace id, 32 hexadecimal digits: the request's id if it is a UUID, otherwise a hash of it. */
export const traceIdOf = (trace: string): string => {
  const plain = trace.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(plain)
    ? plain
    : createHash("sha256").update(trace).digest("hex").slice(0, 32);
};

const nanoseconds = (ms: number) => `${BigInt(ms) * 1_000_000n}`;
const attributesOf = (values: Record<string, string | number>) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));

const spanOf = ({ trace, id, parent, name, startMs, endMs, attributes, isFailed }: Span) => ({
  traceId: traceIdOf(trace),
  spanId: id,
  ...(parent === null ? {} : { parentSpanId: parent }),
  name,
  kind: parent === null ? SERVER : INTERNAL,
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(endMs),
  attributes: attributesOf(attributes),
  ...(isFailed ? { status: { code: ERROR } } : {}),
});

/** Builds an `ExportTraceServiceRequest`. */
export const exportOf = (spans: readonly Span[]) => ({
  resourceSpans: [{
    resource: {
      attributes: attributesOf({ "service.name": "sulcus", "service.version": VERSION }),
    },
    scopeSpans: [{ scope: { name: "sulcus" }, spans: spans.map(spanOf) }],
  }],
});

/**
 * Exports all further spans to a collector with a delay of some seconds.
 * Refused spans are lost; no request waits for the export.
 * @param url  `https://collector.example:4318`, without the path.
 * @returns a function that flushes the queue and stops the export.
 */
export function exportSpans(url: string, log: Log): () => Promise<void> {
  let waiting: Span[] = [], isDown = false;
  const send = async () => {
    if (waiting.length === 0) return;
    const spans = waiting;
    waiting = [];
    try {
      const answer = await fetch(`${url.replace(/\/$/, "")}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(exportOf(spans)),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
      isDown = false;
    } catch (error) {
      if (!isDown) {
        log("warn", "Cannot send traces to the collector", {
          error: String(error),
          spans: spans.length,
        });
      }
      isDown = true;
    }
  };
  const timer = setInterval(() => void send(), EVERY_MS);
  // does not keep the process alive for a pending timer
  Deno.unrefTimer(timer);
  sendSpansTo((span) => {
    if (waiting.length < MOST) waiting.push(span);
  });
  return async () => {
    clearInterval(timer);
    sendSpansTo(null);
    await send();
  };
}
