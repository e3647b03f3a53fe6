// A load generator with little processor time: it sends the bytes of one request repeatedly.
const decoder = new TextDecoder("latin1");

/** The parts of a response that are checked. */
export interface Answer {
  status: number;
  /** length of the body */
  bytes: number;
}

/** End of the headers, with status and body length; `null` while they are incomplete. */
function headOf(bytes: Uint8Array): { status: number; length: number; at: number } | null {
  const text = decoder.decode(bytes.subarray(0, 4096)), end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  if (length === undefined) {
    throw new Error(`Cannot measure an answer without a length: ${text.slice(0, end)}`);
  }
  return { status: Number(text.slice(9, 12)), length: Number(length), at: end + 4 };
}

/** Repeats a request on one persistent connection until `isOver`. */
async function ask(
  url: URL,
  request: Uint8Array,
  isOver: () => boolean,
  heard: (answer: Answer, ms: number) => void,
): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(url.port) });
  connection.setNoDelay(true);
  const buffer = new Uint8Array(1 << 18);
  while (!isOver()) {
    const start = performance.now();
    await connection.write(request);
    let size = 0, head: ReturnType<typeof headOf> = null, received = 0;
    while (head === null || received < head.at + head.length) {
      const space = head === null ? buffer.subarray(size) : buffer;
      const got = await connection.read(space);
      if (got === null) throw new Error("The server closed a connection");
      if (head === null) {
        size += got;
        head = headOf(buffer.subarray(0, size));
      }
      received += got;
    }
    heard({ status: head.status, bytes: head.length }, performance.now() - start);
  }
}

/** Number of responses in a period, and their cost. */
export interface Throughput {
  answers: number;
  seconds: number;
  bytes: number;
  wrong: number;
  ms: number[];
}

/** Requests a URL on several connections at once for a number of seconds. */
export async function askFor(
  { url, path, headers, connections, seconds }: {
    url: string;
    path: string;
    headers: Record<string, string>;
    connections: number;
    seconds: number;
  },
): Promise<Throughput> {
  const target = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const request = new TextEncoder().encode(
    `GET ${path} HTTP/1.1\r\nhost: ${target.host}\r\n${lines}\r\n`,
  );
  const result: Throughput = { answers: 0, seconds: 0, bytes: 0, wrong: 0, ms: [] };
  const start = performance.now(), end = start + 1000 * seconds;
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        ask(target, request, () => performance.now() >= end, ({ status, bytes }, ms) => {
          result.answers++;
          result.bytes += bytes;
          if (status !== 200) {
            result.wrong++;
          }
          result.ms.push(ms);
        }),
    ),
  );
  result.seconds = (performance.now() - start) / 1000;
  return result;
}
