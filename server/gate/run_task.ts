import {
  type Gate,
  type GateAnswer,
  type GateFailure,
  type GateTask,
  INBOX,
} from "@/server/gate/link/tasks.ts";
import { Aborted } from "@/server/gate/dimse/association.ts";
import { ProtocolError } from "@/server/gate/dimse/pdu.ts";
import { WireEnd, WireTimeout } from "@/server/gate/dimse/wire.ts";
import type { InboxWriter } from "@/server/gate/receive/inbox_writer.ts";
import { http } from "@/server/gate/send/http.ts";
import { allowedTask, NotAllowed } from "@/server/gate/send/allowed_address.ts";
import { mllp, reach } from "@/server/gate/send/mllp.ts";
import { NotSupported, type OwnCertificates, Rejected } from "@/server/gate/send/requestor.ts";
import { commit, commitResult, echo, find, get, move, store } from "@/server/gate/send/services.ts";

/** Failure code of a task that ended with an error. */
function failureOf(error: unknown): GateFailure {
  if (error instanceof NotAllowed) return "not_allowed";
  if (error instanceof Rejected) return "rejected";
  if (error instanceof NotSupported) return "not_supported";
  if (error instanceof WireTimeout || error instanceof Deno.errors.TimedOut) return "timeout";
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return "timeout";
  }
  if (error instanceof Aborted) return "aborted";
  const text = String(error);
  if (error instanceof Deno.errors.InvalidData || /certificate|tls|handshake/i.test(text)) {
    return "tls";
  }
  if (error instanceof ProtocolError) return "protocol";
  const isConnection = error instanceof WireEnd || error instanceof Deno.errors.ConnectionRefused ||
    error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.UnexpectedEof || error instanceof Deno.errors.NotConnected ||
    /error sending request|connect|dns|resolve|unreachable|no route|lookup|refused|reset/i.test(
      text,
    );
  return isConnection ? "unreachable" : "internal";
}

/**
 * Creates the function with which the gate (network process) executes the server's tasks.
 * @param folder The inbox folder: only files in its subfolder of outgoing objects are sent.
 * @param isAllowed Whether a local or link-local address may be called.
 */
export function gateOf(
  inbox: InboxWriter,
  folder: string,
  own: OwnCertificates | null,
  isAllowed: (address: string) => boolean,
): Gate {
  const isSendable = (path: string) => {
    const start = `${folder}/${INBOX.sent}/`;
    return path.startsWith(start) && /^[\w.-]+$/.test(path.slice(start.length));
  };
  const run = (task: GateTask, signal?: AbortSignal): Promise<GateAnswer> => {
    const files = task.kind === "store"
      ? task.files
      : task.kind === "http" && typeof task.body === "object"
      ? task.body.files
      : [];
    if (
      !files.every(({ path, deflatedPath = path }) => isSendable(path) && isSendable(deflatedPath))
    ) {
      throw new TypeError("Cannot send: not a file that may leave");
    }
    switch (task.kind) {
      case "echo":
        return echo(task, own);
      case "store":
        return store(task, own);
      case "find":
        return find(task, own);
      case "move":
        return move(task, own);
      case "get":
        return get(task, own, inbox);
      case "commit":
        return commit(task, own);
      case "commit_result":
        return commitResult(task, own);
      case "http":
        return http(task, own, inbox, signal);
      case "connect":
        return reach(task, own);
      case "mllp":
        return mllp(task, own);
    }
  };
  return async (task, signal) => {
    try {
      return await run(await allowedTask(task, isAllowed), signal);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { error: { failure: failureOf(error), text: text.slice(0, 300) } };
    }
  };
}
