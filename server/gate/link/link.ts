/**
 * Connection between server and gate: a Unix socket.
 * Each connection carries one task and one result.
 */
import { askLine, connectTo, serveLines } from "@/server/wire/line_socket.ts";
import type { Gate, GateAnswer, GateTask } from "@/server/gate/link/tasks.ts";

/** Time within which a restarting gate is available again. */
const GATE_TIMEOUT_MS = 10_000;
/** Maximum number of parallel tasks. */
const MAX_TASKS = 16;

const NO_GATE: GateAnswer = { error: { failure: "no_gate", text: "The gate does not run" } };

/** Client of the gate that listens at `path`; waits for one that is starting. */
export const gateAt = (path: string): Gate => async (task, signal) => {
  let connection: Deno.UnixConn | null;
  try {
    connection = await connectTo(path, GATE_TIMEOUT_MS);
  } catch (error) {
    return { error: { failure: "no_gate", text: String(error) } };
  }
  if (connection === null) return NO_GATE;
  const close = () => {
    try {
      connection.close();
    } catch { /* it has ended */ }
  };
  signal?.addEventListener("abort", close, { once: true });
  try {
    return await askLine<GateTask, GateAnswer>(connection, task) ?? NO_GATE;
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
};

/** Executes the tasks of {@link gateAt} until the signal aborts. */
export async function serveGate(path: string, gate: Gate, signal: AbortSignal): Promise<void> {
  try {
    await serveLines<GateTask, GateAnswer>(path, (task) => gate(task, signal), MAX_TASKS, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
