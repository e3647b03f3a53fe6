import { AsyncLocalStorage } from "node:async_hooks";

const traces = new AsyncLocalStorage<string>();

/**
 * Name of the request that all this is done for: the one in `x-request-id` of the answer, in the audit log, in every line of
 * the log, and in the jobs that it queued. `null` outside of a request.
 */
export const currentTrace = (): string | null => traces.getStore() ?? null;

/** Runs something in the name of a request, with whatever it awaits. */
export const withTrace = <T>(trace: string | null, run: () => T): T =>
  trace === null ? run() : traces.run(trace, run);
