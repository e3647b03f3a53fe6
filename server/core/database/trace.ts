import { createHash } from "node:crypto";
import { AsyncLocalStorage } from "node:async_hooks";

/** Current span and its request. */
interface Place {
  trace: string;
  /** id of the parent span */
  span: string;
}

const places = new AsyncLocalStorage<Place>();

/** A timed operation of a request. It contains no patient data. */
export interface Span {
  /** id of the request */
  trace: string;
  /** 16 hexadecimal digits */
  id: string;
  /** id of the parent span */
  parent: string | null;
  name: string;
  /** ms since 1970 */
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number>;
  isFailed: boolean;
}

let sink: ((span: Span) => void) | null = null;

/** Sets the receiver of all further spans; `null`: no spans are created. */
export const sendSpansTo = (to: ((span: Span) => void) | null): void => void (sink = to);

/**
 * Id of the current request: the value in `x-request-id` of the response, in the audit log, in all
 * log lines, and in the jobs that it queued. `null` outside a request.
 */
export const currentTrace = (): string | null => places.getStore()?.trace ?? null;

/** Span of a request that is known by its id only, as in a job. */
const rootOf = (trace: string): string =>
  createHash("sha256").update(`request ${trace}`).digest("hex").slice(0, 16);

/** Runs a function, and everything that it awaits, in the context of a request. */
export const withTrace = <T>(trace: string | null, run: () => T): T =>
  trace === null ? run() : places.run({ trace, span: rootOf(trace) }, run);

const newId = () => crypto.randomUUID().replaceAll("-", "").slice(0, 16);

/** Fields of a span that are set when it ends. */
type Known = Pick<Span, "name" | "attributes">;

/**
 * Runs a function as a span of the current request; outside a request, or without a receiver, it
 * only calls the function.
 * @param known  Fields that may be completed while it runs.
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
