/**
 * Connection between server and gate (network process): a Unix socket.
 * Each connection carries one task and the result of the task.
 */
import { askLine, connectTo, serveLines } from "@/server/wire/line_socket.ts";
import type { Gate, GateAnswer, GateTask } from "@/server/gate/link/tasks.ts";

/** Time for which a client waits until a restarting gate accepts connections. */
const GATE_TIMEOUT_MS = 10_000;
/** Maximum number of tasks that the gate (network process) executes at the same time. */
const MAX_TASKS = 16;

const NO_GATE: GateAnswer = { error: { failure: "no_gate", text: "The gate does not run" } };

/** Client of the gate (network process) at a socket path; waits while the gate is starting. */
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

/** Executes the tasks that clients send by {@link gateAt}, until the signal aborts. */
export async function serveGate(path: string, gate: Gate, signal: AbortSignal): Promise<void> {
  try {
    await serveLines<GateTask, GateAnswer>(path, (task) => gate(task, signal), MAX_TASKS, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
