// A TCP proxy that breaks connections of any protocol. A seed selects the faults.
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Random } from "@/server/commands/demo/phantom/random.ts";

/** Faults of a connection, after a number of bytes in one direction. */
const FATES = [
  /** both sides get a reset */
  "reset",
  /** nothing more is forwarded; both sides stay open, and are reset later */
  "stall",
  /** nothing more is forwarded in this direction; the other direction continues */
  "half-open",
  /** both sides are closed regularly in the middle of a message */
  "truncate",
] as const;
type Fate = (typeof FATES)[number];

/** Maximum number of bytes before a fault, by decades: headers, a small body, an image. */
const MOST_BYTES = [100, 1000, 10_000, 100_000, 1_000_000];
const STALLED_MS = 8000;

/** A running proxy. */
export interface FaultProxy {
  port: number;
  /** while false, connections have no faults */
  isFaulty: boolean;
  /** number of connections by fault; `whole`: without a fault */
  readonly counts: Record<Fate | "whole", number>;
  close(): Promise<void>;
}

/**
 * Listens on a port of this machine and forwards connections to another port.
 * @param share Fraction of the connections with a fault, 0 to 1.
 */
export async function openProxy(
  target: () => number,
  random: Random,
  { port = 0, share = 0.15 }: { port?: number; share?: number } = {},
): Promise<FaultProxy> {
  const open = new Set<Socket>();
  const counts = { whole: 0, reset: 0, stall: 0, "half-open": 0, truncate: 0 };
  const server: Server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host: "127.0.0.1", port: target(), allowHalfOpen: true });
    const both = [near, far];
    const reset = () => both.forEach((socket) => socket.resetAndDestroy());
    for (const socket of both) {
      open.add(socket);
      // if one side of the connection fails, the other side is reset too
      socket.on("error", reset);
      socket.on("close", () => {
        open.delete(socket);
        both.forEach((each) => each.destroy());
      });
    }
    const isWhole = !proxy.isFaulty || random.uniform() >= share;
    const fate = isWhole ? "whole" : FATES[Math.floor(random.uniform() * FATES.length)]!;
    counts[fate]++;
    const isUp = random.uniform() < 0.5;
    const limit = random.uniform() * MOST_BYTES[Math.floor(random.uniform() * MOST_BYTES.length)]!;
    pass(near, far, fate !== "whole" && isUp ? fate : null, limit, reset);
    pass(far, near, fate !== "whole" && !isUp ? fate : null, limit, reset);
  });
  const proxy: FaultProxy = {
    port,
    isFaulty: false,
    counts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  proxy.port = (server.address() as { port: number }).port;
  return proxy;
}

/** Forwards one direction of a connection until its fault. */
function pass(from: Socket, to: Socket, fate: Fate | null, limit: number, reset: () => void): void {
  let passed = 0, isOver = false;
  from.on("data", (chunk: Uint8Array) => {
    if (isOver) return;
    const left = fate === null ? Infinity : limit - passed;
    passed += chunk.length;
    if (to.writable) {
      const isRoom = to.write(chunk.length <= left ? chunk : chunk.subarray(0, Math.floor(left)));
      if (!isRoom && fate === null) {
        from.pause();
        to.once("drain", () => from.resume());
      }
    }
    if (fate === null || passed < limit) return;
    isOver = true;
    if (fate === "reset") reset();
    else if (fate === "truncate") {
      to.end();
      from.end();
    } else {
      if (fate === "stall") to.pause();
      setTimeout(reset, STALLED_MS).unref();
    }
  });
  from.on("end", () => {
    if (!isOver && to.writable) to.end();
  });
}
