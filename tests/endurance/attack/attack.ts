// Attacks that need no account, only ever sent to this machine.
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { EMAIL, PASSWORD } from "@/tests/e2e/site.ts";

const CHUNKS_A_WRITE = 2000;

/** Private memory of a process, bytes. */
export const memoryOf = (pid: number): number =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);

/** Peak memory and id of the process that owns the site's port while a function runs. */
export async function peakWhile(pid: number, run: () => Promise<void>): Promise<number> {
  let peak = memoryOf(pid), isOver = false;
  const watch = (async () => {
    while (!isOver) {
      peak = Math.max(peak, memoryOf(pid));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  try {
    await run();
  } finally {
    isOver = true;
    await watch;
  }
  return peak;
}

/** Signs a user in like a program. @returns the duration, ms. */
export async function signInTime(url: string): Promise<number> {
  const started = performance.now();
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: "POST",
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    headers: { "content-type": "application/json" },
  });
  await answer.body?.cancel();
  if (answer.status !== 200) throw new Error(`Cannot sign in: answer ${answer.status}`);
  return performance.now() - started;
}

const addressOf = (url: string) => ({ host: "127.0.0.1", port: Number(new URL(url).port) });

const gone = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once("close", () => resolve()));

/** Sends sign-ins with endless bodies in chunks of one byte; resolves when sent or refused. */
export async function sendCrumbs(url: string, connections: number, chunks: number): Promise<void> {
  const part = "1\r\nx\r\n".repeat(CHUNKS_A_WRITE);
  await Promise.all(Array.from({ length: connections }, async () => {
    const socket = connect(addressOf(url)), ended = gone(socket);
    socket.on("error", () => {}).resume();
    socket.write(
      "POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n" +
        "transfer-encoding: chunked\r\n\r\n",
    );
    for (let sent = 0; sent < chunks && !socket.destroyed; sent += CHUNKS_A_WRITE) {
      if (socket.write(part)) continue;
      await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), ended]);
    }
    socket.destroy();
    await ended;
  }));
}

/** Opens endless requests. `open`: number of requests that the server still holds. */
export function holdHalf(url: string, connections: number, text: string) {
  let open = 0;
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect(addressOf(url), () => socket.write(text));
    open++;
    socket.on("error", () => {}).once("close", () => open--).resume();
    return socket;
  });
  return { open: () => open, end: () => sockets.forEach((socket) => socket.destroy()) };
}
