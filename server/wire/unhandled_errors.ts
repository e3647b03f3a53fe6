/**
 * Last error handler of a process: logs and counts each error that no other code caught,
 * in a request, socket, timer or worker. The process keeps serving.
 * Without this handler, Deno would end the process.
 */
import { countMetric } from "@/server/wire/metrics.ts";

const MINUTE_MS = 60_000, MAX_KINDS = 100;

type Log = (level: "error", message: string, fields: Record<string, string | number>) => void;
type Origin = "rejection" | "exception";

/** Key of an error: name, code and first line of the stack. */
function kindOf(error: unknown, message: string): string {
  if (!(error instanceof Error)) return message.slice(0, 200);
  const code = "code" in error ? String(error.code) : "";
  return `${error.name} ${code} ${/\n[^\S\n]+at (.*)/.exec(error.stack ?? "")?.[1] ?? ""}`.slice(
    0,
    300,
  );
}

/** Counts unhandled errors, and logs each kind at most once a minute with the repetitions. */
export class UnhandledErrors {
  readonly #kinds = new Map<string, { loggedMs: number; since: number }>();
  count = 0;

  constructor(
    private readonly log: Log,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  add(origin: Origin, error: unknown, message = String(error)): void {
    this.count++;
    countMetric("sulcus_unhandled_errors_total", { origin });
    const kind = kindOf(error, message), now = this.nowMs();
    const entry = this.#kinds.get(kind) ?? { loggedMs: -Infinity, since: 0 };
    if (now - entry.loggedMs < MINUTE_MS) return void entry.since++;
    if (this.#kinds.size >= MAX_KINDS) this.#kinds.delete(this.#kinds.keys().next().value!);
    this.#kinds.set(kind, { loggedMs: now, since: 0 });
    this.log("error", "An error that nothing handled; the process keeps serving", {
      origin,
      error: error instanceof Error ? error.stack ?? error.message : message,
      ...(entry.since > 0 ? { moreSinceLastLine: entry.since } : {}),
    });
  }
}

/** Error counter of this process; `null` until {@link keepServing} is called. */
let errors: UnhandledErrors | null = null;

/** Number of unhandled errors of this process so far. */
export const unhandledErrorCount = (): number => errors?.count ?? 0;

/**
 * Installs the handler once the process serves: an error during the start must end the process.
 * @param log Writes to the server log; must not throw.
 */
export function keepServing(log: Log): void {
  if (errors !== null) return;
  const unhandled = errors = new UnhandledErrors(log);
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    unhandled.add("rejection", event.reason);
  });
  addEventListener("error", (event) => {
    event.preventDefault();
    // the error event of a worker contains a message but no error object
    unhandled.add("exception", event.error, event.message);
  });
}

/** Records an error of an object that continues to work, such as a listening server. */
export const noteUnhandled = (error: unknown): void => errors?.add("exception", error);
