/**
 * The line between server and gate: a Unix socket in a folder of their own. A connection carries one task and one
 * answer, each a line of JSON.
 */
import type { Gate, GateAnswer, GateTask } from "@/gate/link/tasks.ts";

/** A gate that starts again is back within this time. */
const GATE_TIMEOUT_MS = 10_000, RETRY_MS = 100;
const MAX_LINE_BYTES = 64 << 20;
/** Tasks that are worked on at the same time. */
const MAX_TASKS = 16;

async function connect(path: string): Promise<Deno.UnixConn | null> {
  for (const start = Date.now();;) {
    try {
      return await Deno.connect({ transport: "unix", path });
    } catch (error) {
      const isAway = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused;
      if (!isAway) throw error;
      if (Date.now() - start >= GATE_TIMEOUT_MS) return null;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** A line of JSON; `null` when the other side ended before its end, or never ends. */
async function readLine<T>(connection: Deno.UnixConn): Promise<T | null> {
  const decoder = new TextDecoder(), piece = new Uint8Array(65_536), texts: string[] = [];
  for (let size = 0; size < MAX_LINE_BYTES;) {
    const count = await connection.read(piece).catch(() => null);
    if (count === null) return null;
    size += count;
    const text = decoder.decode(piece.subarray(0, count), { stream: true });
    texts.push(text);
    if (text.endsWith("\n")) return JSON.parse(texts.join("")) as T;
  }
  return null;
}

async function writeLine(connection: Deno.UnixConn, value: GateTask | GateAnswer): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(value) + "\n");
  for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
}

const NO_GATE: GateAnswer = { error: { failure: "no_gate", text: "The gate does not run" } };

/** The gate that listens at `path`; one that is just being started is waited for. */
export const gateAt = (path: string): Gate => async (task, signal) => {
  let connection: Deno.UnixConn | null;
  try {
    connection = await connect(path);
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
    const writing = writeLine(connection, task).catch(() => {});
    const answer = await readLine<GateAnswer>(connection);
    await writing;
    return answer ?? NO_GATE;
  } finally {
    signal?.removeEventListener("abort", close);
    close();
  }
};

/** Does the tasks of {@link gateAt} until the signal aborts. */
export async function serveGate(path: string, gate: Gate, signal: AbortSignal): Promise<void> {
  // of one that died
  await Deno.remove(path).catch(() => {});
  const listener = Deno.listen({ transport: "unix", path });
  signal.addEventListener("abort", () => listener.close(), { once: true });
  const waiting: (() => void)[] = [];
  let free = MAX_TASKS;
  const answer = async (connection: Deno.UnixConn) => {
    try {
      const task = await readLine<GateTask>(connection);
      if (task === null) return;
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await writeLine(connection, await gate(task, signal));
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    } finally {
      connection.close();
    }
  };
  try {
    // an asker that has gone needs no answer
    for await (const connection of listener) answer(connection).catch(() => {});
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
