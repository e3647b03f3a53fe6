import { createHash } from "node:crypto";
import { AsyncLocalStorage } from "node:async_hooks";

/** Current span and its request. */
interface Place {
  trace: string;
  /** the span that this is a part of */
  span: string;
}

const places = new AsyncLocalStorage<Place>();

/** Something that was done for a request, from when to when. It holds no patient data. */
export interface Span {
  /** name of the request */
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

/** Sets the receiver of every span from now on; `null`: none is made. */
export const sendSpansTo = (to: ((span: Span) => void) | null): void => void (sink = to);

/**
 * Name of the request that all this is done for: the one in `x-request-id` of the answer, in the
 * audit log, in every line of the log, and in the jobs that it queued. `null` outside of a request.
 */
export const currentTrace = (): string | null => places.getStore()?.trace ?? null;

/** The span of the request itself, by its name alone: a job knows no more of it. */
const rootOf = (trace: string): string =>
  createHash("sha256").update(`request ${trace}`).digest("hex").slice(0, 16);

/** Runs something in the name of a request, with whatever it awaits. */
export const withTrace = <T>(trace: string | null, run: () => T): T =>
  trace === null ? run() : places.run({ trace, span: rootOf(trace) }, run);

const newId = () => crypto.randomUUID().replaceAll("-", "").slice(0, 16);

/** Fields of a span that are complete at its end. */
type Known = Pick<Span, "name" | "attributes">;

/**
 * Runs a function as a span of the current request; outside of one, or without a receiver, it only
 * runs.
 * @param known  May be completed while it runs.
 * @param isRequest  It is the request itself.
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

/** A span of something that is over, as a part of the current one. */
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
