import { createHash } from "node:crypto";
import { AsyncLocalStorage } from "node:async_hooks";

/** Current span of a trace, and the request of the span. */
interface Place {
  trace: string;
  /** id of the parent span */
  span: string;
}

const places = new AsyncLocalStorage<Place>();

/** A timed operation of a request. A span contains no patient data. */
export interface Span {
  /** id of the request that the span belongs to */
  trace: string;
  /** id of the span, 16 hexadecimal digits */
  id: string;
  /** id of the parent span */
  parent: string | null;
  name: string;
  /** start of the span, ms since 1970 */
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number>;
  isFailed: boolean;
}

let sink: ((span: Span) => void) | null = null;

/** Sets the receiver of all further spans; `null`: no spans are created. */
export const sendSpansTo = (to: ((span: Span) => void) | null): void => void (sink = to);

/**
 * Id of the current request; `null` outside a request. The same id is in `x-request-id` of the
 * response, the audit log, all log lines, and the jobs that the request queued.
 */
export const currentTrace = (): string | null => places.getStore()?.trace ?? null;

/** Span of a request of which only the id is known, as in a job. */
const rootOf = (trace: string): string =>
  createHash("sha256").update(`request ${trace}`).digest("hex").slice(0, 16);

/** Runs a function, and everything that the function awaits, in the context of a request. */
export const withTrace = <T>(trace: string | null, run: () => T): T =>
  trace === null ? run() : places.run({ trace, span: rootOf(trace) }, run);

const newId = () => crypto.randomUUID().replaceAll("-", "").slice(0, 16);

/** Fields of a span that are set when the span ends. */
type Known = Pick<Span, "name" | "attributes">;

/**
 * Runs a function as a span of the current request.
 * Outside a request, or without a receiver of spans, only calls the function.
 * @param known  Fields of the span that may be completed while the function runs.
 * @param isRequest  The span is the request itself.
 */
export async function withSpan<T>(
  known: Known,
  run: () => Promise<T>,
  isRequest = false,
): Promise<T> {
  const place = places.getStore(), to = sink;
  if (!place || !to) return await run();
  const id = isRequest ? place.span : newId(), startMs = Date.now();
  let isFailed = true;
  try {
    const value = await places.run({ ...place, span: id }, run);
    isFailed = false;
    return value;
  } finally {
    const parent = isRequest ? null : place.span;
    to({ trace: place.trace, id, parent, ...known, startMs, endMs: Date.now(), isFailed });
  }
}

/** Adds a completed span to the current one. */
export function noteSpan({ name, attributes }: Known, startMs: number, endMs: number): void {
  const place = places.getStore();
  if (!place) return;
  sink?.({
    trace: place.trace,
    id: newId(),
    parent: place.span,
    name,
    attributes,
    startMs,
    endMs,
    isFailed: false,
  });
}
