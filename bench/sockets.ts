/**
 * WebSockets: delivery and delay of events from an edge (web server process) to many browsers, and
 * memory per socket. The edge runs before a simulated core that only sends events. The baseline is
 * Deno's own WebSocket in an empty process. A missing or misordered message fails the benchmark.
 *
 * deno task bench sockets [--sockets N] [--messages N] [--json FILE]; needs a built site.
 */
import { memoryOf, processorSeconds } from "@/bench/machine/processes.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import { serveTellingCore } from "@/bench/sockets/core.ts";
import { Listener } from "@/bench/sockets/listener.ts";
import { allocatorVariables, V8_FLAGS } from "@/server/commands/start/process_memory.ts";
import { startSite } from "@/tests/e2e/site.ts";

const BAR_MS = 100, BAR_KB = 35, EVERY_MS = 200, WARM = 300, AT_ONCE = 20, SETTLE_MS = 3000;
/** Options with which the launcher starts a server. */
const FLAGS = [V8_FLAGS], ENVIRONMENT = allocatorVariables();

const count = Number(optionOf("sockets") ?? 2000), messages = Number(optionOf("messages") ?? 50);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Opens sockets, several at a time. */
async function open(url: string, listeners: readonly Listener[]): Promise<void> {
  for (let i = 0; i < listeners.length; i += AT_ONCE) {
    const some = listeners.slice(i, i + AT_ONCE);
    await Promise.all(
      some.map((listener, n) => listener.open(url, `/api/v1/ws?token=ticket.t-${i + n + 1}`)),
    );
  }
}

/** Memory that each of many sockets adds to a process, kB; the sockets stay open. */
async function memoryOfSockets(
  pid: number,
  url: string,
  listeners: readonly Listener[],
): Promise<number> {
  // the first sockets load and compile code, which does not count as memory of a socket
  const warm = Array.from({ length: WARM }, () => new Listener(() => {}));
  await open(url, warm);
  for (const listener of warm) listener.close();
  await pause(SETTLE_MS);
  const before = memoryOf(pid);
  await open(url, listeners);
  await pause(SETTLE_MS);
  return 1024 * (memoryOf(pid) - before) / listeners.length;
}

/** Memory of Deno's own sockets in a process without other code, kB. */
async function floor(): Promise<number> {
  const script = new URL("./sockets/bare.ts", import.meta.url).pathname;
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", ...FLAGS, script],
    env: ENVIRONMENT,
    stdout: "piped",
  }).spawn();
  const listeners = Array.from({ length: count }, () => new Listener(() => {}));
  try {
    const reader = process.stdout.getReader();
    let text = "", url: string | undefined;
    while (url === undefined) {
      text += new TextDecoder().decode((await reader.read()).value);
      url = /http:\S+(?=\n)/.exec(text)?.[0];
    }
    reader.releaseLock();
    return await memoryOfSockets(process.pid, url, listeners);
  } finally {
    for (const listener of listeners) listener.close();
    process.kill("SIGKILL");
    await process.stdout.cancel();
    await process.status;
  }
}

async function measure(): Promise<Row[]> {
  const bareKb = await floor();
  await using core = serveTellingCore();
  await using edge = await startSite({
    env: {
      ...ENVIRONMENT,
      SULCUS_CORE_URL: core.url,
      SULCUS_CORE_KEY: "a-key-of-a-benchmark-0123456789abcd",
    },
    flags: FLAGS,
  });
  const sentAt: number[] = [], waits: number[] = [];
  let disordered = 0;
  const listeners = Array.from({ length: count }, () => {
    let next = 0;
    return new Listener((text) => {
      const { pid } = JSON.parse(text);
      if (pid !== ++next) disordered++;
      waits.push(performance.now() - sentAt[pid]!);
    });
  });
  const ownKb = await memoryOfSockets(edge.process.pid, edge.url, listeners);
  const before = processorSeconds(edge.process.pid), all = count * messages;
  for (let n = 1; n <= messages; n++) {
    sentAt[n] = performance.now();
    core.tell(n);
    await pause(Math.max(0, EVERY_MS - (performance.now() - sentAt[n]!)));
  }
  for (let waited = 0; waits.length < all && waited < 30_000; waited += 50) await pause(50);
  const usedMs = 1000 * (processorSeconds(edge.process.pid) - before);
  for (const listener of listeners) listener.close();
  waits.sort((a, b) => a - b);
  const isRight = waits.length === all && disordered === 0;
  const at = (part: number) =>
    waits[Math.min(waits.length - 1, Math.floor(part * waits.length))] ?? Infinity;
  const row = rowMaker("sockets");
  const ok = isRight, p99 = at(0.99);
  return [
    row(`messages of ${all}, each in its order`, waits.length - disordered, "messages", {
      bar: all,
      ok,
    }),
    row("from the core to the last byte, median", at(0.5), "ms", { ok }),
    row("from the core to the last byte, 99th percentile", p99, "ms", {
      bar: BAR_MS,
      ok: ok && p99 <= BAR_MS,
    }),
    row("processor time of the edge", 1000 * usedMs / all, "µs a message", { ok }),
    row("memory of the edge", ownKb, "kB a socket", {
      baseline: bareKb,
      bar: BAR_KB,
      ok: ok && ownKb <= BAR_KB,
    }),
    row("memory of Deno's own sockets with nothing else", bareKb, "kB a socket", { ok }),
  ];
}

finish(
  "deno task bench sockets",
  `${count} sockets, a message to all of them every ${EVERY_MS} ms`,
  await measure(),
);
