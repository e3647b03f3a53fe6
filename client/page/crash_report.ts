// Reports a crash of the page to the server's log.
// The server decides which fields the log may contain (server/edge/web/crashes.ts).
import { AppError } from "@/model/errors.ts";

/** Maximum number of crash reports per page: an error may repeat with every frame. */
const MAX_REPORTS = 5;
const MAX_CHARACTERS = 2000;

const reported = new WeakSet<object>();
let reports = 0;

/** Message of a harmless ResizeObserver error: observers continue in the next frame. */
const isRemark = (message: string): boolean => message.startsWith("ResizeObserver loop");

/**
 * Reports an unhandled error once. Errors with a code are expected results and not crashes.
 *
 * @param where Name of the crashed island, or "page".
 */
export function reportCrash(where: string, error: unknown): void {
  if (error instanceof AppError || (error instanceof DOMException && error.name === "AbortError")) {
    return;
  }
  const { name = "Error", message = String(error), stack = "" } = error instanceof Error
    ? error
    : {};
  if (isRemark(message) || reports >= MAX_REPORTS) return;
  if (typeof error === "object" && error !== null) {
    if (reported.has(error)) return;
    reported.add(error);
  }
  reports++;
  const body = JSON.stringify({
    where,
    page: location.pathname,
    message: `${name}: ${message}`.slice(0, MAX_CHARACTERS),
    stack: stack.slice(0, MAX_CHARACTERS),
  });
  fetch("/crashes", { method: "POST", body, keepalive: true }).catch(
    () => {/* the page goes on without */},
  );
}

/** Reports errors that reach the window: from handlers, timers and unhandled rejections. */
export function watchForCrashes(): void {
  addEventListener("error", ({ error, message }) => reportCrash("page", error ?? message));
  addEventListener("unhandledrejection", ({ reason }) => reportCrash("page", reason));
}
