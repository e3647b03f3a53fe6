import { createHash } from "node:crypto";
import { AsyncLocalStorage } from "node:async_hooks";

/** Position in a trace: the request, and the operation (span) that is running. */
interface Place {
  trace: string;
  /** id of the running span, which is the parent of new spans */
  span: string;
}

const places = new AsyncLocalStorage<Place>();

/** A timed operation of a request. A span contains no patient data. */
export interface Span {
  /** id of the request during which the operation ran */
  trace: string;
  /** id of the span, 16 hexadecimal digits */
  id: string;
  /** id of the enclosing span; `null` for the request itself */
  parent: string | null;
  name: string;
  /** start of the operation, ms since 1970 */
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number>;
  isFailed: boolean;
}

let sink: ((span: Span) => void) | null = null;

/** Sets the function that receives all spans; `null`: no spans are created. */
export const sendSpansTo = (to: ((span: Span) => void) | null): void => void (sink = to);

/**
 * Id of the current request; `null` outside a request. The same id is in `x-request-id` of the
 * response, the audit log, all log lines, and the jobs that the request queued.
 */
export const currentTrace = (): string | null => places.getStore()?.trace ?? null;

/** Id of a request's span, derived from the request's id, as a job knows nothing else of it. */
const rootOf = (trace: string): string =>
  createHash("sha256").update(`request ${trace}`).digest("hex").slice(0, 16);

/** Runs a function, including everything it awaits, as part of a request's trace. */
export const withTrace = <T>(trace: string | null, run: () => T): T =>
  trace === null ? run() : places.run({ trace, span: rootOf(trace) }, run);

const newId = () => crypto.randomUUID().replaceAll("-", "").slice(0, 16);

/** Fields of a span that its caller sets. */
type Known = Pick<Span, "name" | "attributes">;

/**
 * Runs a function as a timed operation (span) of the current request.
 * Outside a request, or if spans are not received, the function runs without a span.
 * @param known  Fields of the span, which the function may still change while it runs.
 * @param isRequest  Whether the span is the request itself.
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

/** Adds an operation that has already ended to the current span. */
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
