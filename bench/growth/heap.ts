// Composition of a server's memory: objects of its scripts after a garbage collection, from the
// inspector, and the remaining memory, from the kernel.
import { readFileSync } from "node:fs";

/** Memory of a process by kind, MB. */
export interface MemoryKinds {
  /** script objects that survive a garbage collection */
  objects: number;
  /** array buffers of these objects */
  buffers: number;
  /** heap that V8 reserves for future objects */
  spare: number;
  /** remaining memory without a file: native allocators, SQLite, stacks, WebAssembly */
  native: number;
}

/** Objects of a heap by kind: number, and size without the objects that they refer to. */
export type Classes = Map<string, { count: number; bytes: number }>;

interface Snapshot {
  snapshot: { meta: { node_fields: string[]; node_types: (string[] | string)[] } };
  nodes: number[];
  strings: string[];
}

/** Client of the inspector of a process that was started with `--inspect`. */
export class HeapProbe {
  #next = 0;
  #chunks: string[] = [];
  readonly #answers = new Map<number, (result: Record<string, number>) => void>();

  private constructor(private readonly socket: WebSocket, private readonly pid: number) {
    socket.onmessage = ({ data }) => {
      const { id, result, method, params } = JSON.parse(data);
      if (method === "HeapProfiler.addHeapSnapshotChunk") this.#chunks.push(params.chunk);
      else if (id !== undefined) this.#answers.get(id)?.(result);
    };
  }

  /** @param output Output of the process, which contains the address of its inspector. */
  static async open(output: string, pid: number): Promise<HeapProbe> {
    const url = /Debugger listening on (ws:\/\/\S+)/.exec(output)?.[1];
    if (!url) throw new Error(`no inspector: ${output.slice(-300)}`);
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    const probe = new HeapProbe(socket, pid);
    await probe.#call("HeapProfiler.enable");
    return probe;
  }

  #call(method: string, params: Record<string, unknown> = {}): Promise<Record<string, number>> {
    const id = ++this.#next, { promise, resolve } = Promise.withResolvers<Record<string, number>>();
    this.#answers.set(id, resolve);
    this.socket.send(JSON.stringify({ id, method, params }));
    return promise;
  }

  /** Collects garbage and measures the memory by kind. */
  async kinds(): Promise<MemoryKinds> {
    await this.#call("HeapProfiler.collectGarbage");
    const { usedSize = 0, totalSize = 0, backingStorageSize = 0 } = await this.#call(
      "Runtime.getHeapUsage",
    );
    const anonymousKb = Number(
      /^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))![1],
    );
    const [objects, whole, buffers] = [usedSize / 1e6, totalSize / 1e6, backingStorageSize / 1e6];
    const spare = whole - objects;
    return { objects, buffers, spare, native: anonymousKb * 1024 / 1e6 - whole - buffers };
  }

  /** Takes a heap snapshot, which stops the process for seconds. */
  async classes(): Promise<Classes> {
    this.#chunks = [];
    await this.#call("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
    const { snapshot: { meta }, nodes, strings } = JSON.parse(this.#chunks.join("")) as Snapshot;
    this.#chunks = [];
    const at = (name: string) => meta.node_fields.indexOf(name), width = meta.node_fields.length;
    const [type, name, size] = [at("type"), at("name"), at("self_size")],
      types = meta.node_types[type]!;
    const found: Classes = new Map();
    for (let node = 0; node < nodes.length; node += width) {
      const kind = types[nodes[node + type]!]!;
      // strings and code are not split by name, as each has a different one
      const key = kind === "object" || kind === "native"
        ? `${kind} ${strings[nodes[node + name]!]}`
        : kind;
      const one = found.get(key) ?? { count: 0, bytes: 0 };
      one.count++;
      one.bytes += nodes[node + size]!;
      found.set(key, one);
    }
    return found;
  }

  close(): void {
    this.socket.close();
  }
}

/** Kinds of objects that grew most from one snapshot to the next, one line each. */
export function growth(before: Classes, after: Classes, lines = 12): string[] {
  return [...after].map(([name, { count, bytes }]) => {
    const old = before.get(name) ?? { count: 0, bytes: 0 };
    return { name, bytes: bytes - old.bytes, count: count - old.count };
  }).toSorted((a, b) => b.bytes - a.bytes).slice(0, lines)
    .map(({ name, bytes, count }) => `${name}: ${(bytes / 1000).toFixed(0)} kB in ${count} more`);
}
