// Requests that are answered before their body has arrived: the answer must reach the client,
// and a client that goes on sending must not hold anything.
// covers: S-180
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { CoreClient } from "@/server/edge/remote/core_client.ts";
import type { ConnectionLimits, RequestHandler } from "@/server/edge/web/connections.ts";
import { CONNECTION_LIMITS, serveHttp } from "@/server/edge/web/http_server.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import { LANGUAGES } from "@/model/text.ts";
import { pagesText } from "@/model/text/pages.ts";
import { until } from "@/tests/sites/until.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const SIZES = [1000, 60_000, 1 << 20, 8 << 20, 40 << 20], PIECES = 20;
/** Sizes of early answers: none, in one piece, and in several. */
const ANSWER_BYTES = [0, 200, 300_000];

/** Answers with the status in the address, after a delay, without reading the body or its rest. */
const handler: RequestHandler = async (request, { upgrade }) => {
  const query = new URL(request.url).searchParams, status = Number(query.get("status") ?? 200);
  if (upgrade && query.has("socket")) return upgrade(request, { idleTimeout: 1 }).response;
  await pause(Number(query.get("delay")));
  const reader = query.has("begins") ? request.body!.getReader() : null;
  await reader?.read();
  if (query.get("begins") === "cancel") await reader!.cancel();
  const size = Number(query.get("answer"));
  if (status === 204) return new Response(null, { status });
  if (size <= 1000) return new Response("a".repeat(size), { status });
  return new Response(
    new ReadableStream({
      async start(controller) {
        for (let n = 0; n < 3; n++) {
          await pause(1);
          controller.enqueue(new Uint8Array(size / 3));
        }
        controller.close();
      },
    }),
    { status },
  );
};

type Kind = "plain" | "TLS" | "through an edge";

/** A server, or a second one that forwards to it as an edge does. */
async function serving(kind: Kind, limits: ConnectionLimits = CONNECTION_LIMITS) {
  const place = { port: 0, hostname: "127.0.0.1", limits };
  const tls = kind === "TLS" ? { cert: CERTIFICATE, key: KEY } : null;
  const server = await serveHttp({ ...place, tls }, handler);
  const core = new CoreClient(`http://127.0.0.1:${server.addr.port}`);
  const edge = kind === "through an edge"
    ? await serveHttp(place, (request) => core.fetch(request))
    : null;
  const { port } = (edge ?? server).addr;
  const stop = async () => {
    await edge?.shutdown();
    core.close();
    await server.shutdown();
  };
  return { port, isTls: tls !== null, [Symbol.asyncDispose]: stop };
}
type Server = Awaited<ReturnType<typeof serving>>;

interface Sending {
  status: number;
  bytes: number;
  /** time between two of the pieces in which the body is sent, ms */
  pieceMs: number;
  /** whether the client reads only after it has sent all, as browsers do */
  isReadLate: boolean;
  isChunked: boolean;
  query: string;
}

/** A connection that collects the text that arrives, and the error that ends it. */
function dial({ port, isTls }: { port: number; isTls?: boolean }) {
  const line: Socket = isTls
    ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
    : connect(port, "127.0.0.1");
  const seen = { line, text: "", failure: "", isOver: false, isClosed: false };
  line.on("data", (part) => seen.text += part.toString("latin1"));
  line.on("error", (error) => seen.failure ||= (error as { code?: string }).code ?? String(error));
  line.on("close", () => seen.isOver = seen.isClosed = true).on("end", () => seen.isOver = true);
  return seen;
}

/** Writes with backpressure; returns early when the connection has ended. */
async function write(line: Socket, bytes: Uint8Array | string): Promise<void> {
  if (line.destroyed || line.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      line.off("drain", go).off("close", go);
      resolve();
    };
    line.on("drain", go).on("close", go);
  });
}

function isWhole(text: string): boolean {
  const [head, body] = text.split(/\r\n\r\n([^]*)/);
  if (body === undefined) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(head!)?.[1];
  return head!.includes(" 204 ") || body.length === Number(length) || body.endsWith("0\r\n\r\n");
}

/** Sends a request as a client that gives up at an error. @returns the answer, or the error. */
async function answerTo(server: Server, sending: Sending): Promise<string> {
  const { status, bytes, pieceMs, isReadLate, isChunked, query } = sending;
  const seen = dial(server), { line } = seen;
  if (isReadLate) line.pause();
  const framing = isChunked ? "transfer-encoding: chunked" : `content-length: ${bytes}`;
  line.write(`POST /?status=${status}&${query} HTTP/1.1\r\nhost: a\r\n${framing}\r\n\r\n`);
  const piece = new Uint8Array(bytes / PIECES);
  for (let n = 0; n < PIECES && seen.failure === "" && !seen.isOver; n++) {
    if (isChunked) line.write(piece.length.toString(16) + "\r\n");
    await write(line, piece);
    if (isChunked) line.write("\r\n");
    if (pieceMs > 0) await pause(pieceMs);
  }
  if (isChunked && !seen.isOver) line.write("0\r\n\r\n");
  line.resume();
  await until(() => isWhole(seen.text) || seen.isOver || seen.failure !== "");
  line.destroy();
  return isWhole(seen.text)
    ? seen.text.slice(0, 12)
    : `${seen.failure || "end"} after ${JSON.stringify(seen.text.slice(0, 300))}`;
}

for (const kind of ["plain", "TLS", "through an edge"] as const) {
  Deno.test(`serveHttp() delivers an answer that precedes the body, to slow and fast senders, ${kind}`, async () => {
    await using server = await serving(kind);
    let n = 0;
    for (const bytes of SIZES) {
      for (const isReadLate of [false, true]) {
        for (const pieceMs of [0, 5]) {
          for (const delay of [0, 30]) {
            const isChunked = n % 3 === 2, status = [503, 401, 413, 204, 429][n % 5]!;
            const begins = ["", "&begins=cancel", "&begins=leave"][n % 3 === 0 ? n % 2 : 2 - n % 2];
            const query = `delay=${delay}&answer=${ANSWER_BYTES[n++ % 3]}${begins}`;
            const sending = { status, bytes, pieceMs, isReadLate, isChunked, query };
            const answer = await answerTo(server, sending);
            assert.equal(answer, `HTTP/1.1 ${status}`, JSON.stringify(sending));
          }
        }
      }
    }
  });

  Deno.test(`serveHttp() delivers early answers to many senders at once, and by fetch, ${kind}`, async () => {
    // 200 MB a round may take longer than the usual limit on a machine that does other work
    await using server = await serving(kind, { ...CONNECTION_LIMITS, lingerMs: 300_000 });
    const slow = { status: 503, bytes: 40 << 20, pieceMs: 400, isReadLate: true, isChunked: false };
    // longer than a server waits for the next part of a body
    const slowest = kind === "TLS" ? [] : [answerTo(server, { ...slow, query: "answer=200" })];
    for (let round = 0; round < 4; round++) {
      const sent = SIZES.flatMap((bytes) =>
        [0, 10].map((pieceMs) => {
          const query = `delay=${10 * round}&answer=200`;
          return answerTo(server, { ...slow, bytes, pieceMs, query });
        })
      );
      const scheme = server.isTls ? "https" : "http";
      using client = Deno.createHttpClient({ caCerts: [CERTIFICATE] });
      const fetched = SIZES.flatMap((bytes) =>
        [0, 5].map(async (delay) => {
          const url = `${scheme}://127.0.0.1:${server.port}/?status=503&delay=${delay}&answer=200`;
          const body = new Uint8Array(bytes);
          const answer = await fetch(url, { method: "POST", body, client } as RequestInit);
          const isBroken = (await answer.text()).length !== 200;
          return `HTTP/1.1 ${answer.status}${isBroken ? " broken" : ""}`;
        })
      );
      const answers = await Promise.all([...sent, ...fetched]);
      assert.deepEqual(answers, answers.map(() => "HTTP/1.1 503"));
    }
    assert.deepEqual(await Promise.all(slowest), slowest.map(() => "HTTP/1.1 503"));
  });
}

Deno.test("serveHttp() delivers its answer to a request that it cannot parse", async () => {
  for (const kind of ["plain", "TLS"] as const) {
    await using server = await serving(kind);
    const REQUESTS = {
      "431": `POST / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(60_000)}\r\ncontent-length: 9\r\n\r\n`,
      "400": "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n",
      // a refused upgrade
      "403":
        "GET /?status=403&answer=9 HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
    };
    for (const [status, head] of Object.entries(REQUESTS)) {
      for (const pieces of [0, 1, 20, 100]) {
        const { line } = dial(server), seen = { text: "", failure: "" };
        line.removeAllListeners("data").pause();
        line.on("error", (error) => seen.failure = String(error));
        await write(line, head);
        for (let n = 0; n < pieces; n++) {
          await write(line, new Uint8Array(100_000));
          await pause(1);
        }
        line.on("data", (part) => seen.text += part.toString("latin1"));
        line.resume();
        await until(() => seen.text.includes("\r\n\r\n") || line.destroyed);
        assert.equal(seen.text.slice(9, 12), status, `${pieces} pieces ${seen.failure}`);
        line.destroy();
      }
    }
  }
});

Deno.test("serveHttp() says in both languages why it does not read a request", async () => {
  const long = "1.2.840.113619,".repeat(3000);
  const cases: [string, RequestInit, number, keyof typeof pagesText][] = [
    [`/viewer?study=${long}`, {}, 431, "requestTooLong"],
    ["/", { headers: { cookie: `hospital=${long}` } }, 431, "requestTooLong"],
    [`/api/v1/patients?x=${long}`, { method: "POST", body: "x" }, 431, "requestTooLong"],
  ];
  for (const kind of ["plain", "TLS"] as const) {
    await using server = await serving(kind);
    using client = Deno.createHttpClient({ caCerts: [CERTIFICATE] });
    const scheme = kind === "TLS" ? "https" : "http";
    for (const [path, init, status, key] of cases) {
      const url = `${scheme}://127.0.0.1:${server.port}${path}`;
      const answer = await fetch(url, { ...init, client } as RequestInit);
      const text = await answer.text();
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
      for (const language of LANGUAGES) assert.ok(text.includes(pagesText[key][language]), text);
    }
    const { line } = dial(server), parts: Uint8Array[] = [];
    line.on("data", (part) => parts.push(part));
    await write(line, "GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n");
    await until(() => line.destroyed);
    const [head, body] = Buffer.concat(parts).toString("utf8").split("\r\n\r\n");
    assert.match(head!, /^HTTP\/1\.1 400 /);
    assert.ok(LANGUAGES.every((language) => body!.includes(pagesText.requestUnreadable[language])));
    // the response is complete: a client waits for the announced number of bytes
    const length = /content-length: (\d+)/.exec(head!)![1];
    assert.equal(Buffer.byteLength(body!), Number(length));
  }
});

Deno.test("serveHttp() uses a connection again after a short body that was not read", async () => {
  await using server = await serving("plain");
  const ask = (bytes: number, rest: string) =>
    `POST /?status=401&answer=3 HTTP/1.1\r\nhost: a\r\ncontent-length: ${bytes}\r\n\r\n${rest}`;
  const NEXT = "GET /?answer=7 HTTP/1.1\r\nhost: a\r\n\r\n";
  const seen = dial(server);
  seen.line.write(ask(30_000, "x".repeat(10_000)));
  await until(() => isWhole(seen.text));
  assert.doesNotMatch(seen.text, /connection: close/i);
  // the rest of the body looks like a request, and then comes one
  seen.line.write(("DELETE / HTTP/1.1\r\n\r\n").repeat(2000).slice(0, 20_000) + NEXT);
  await until(() => seen.text.endsWith("a".repeat(7)));
  assert.deepEqual(seen.text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 401", "HTTP/1.1 200"]);
  seen.line.destroy();
  const long = dial(server);
  long.line.write(ask(1 << 20, "x".repeat(100)));
  await until(() => isWhole(long.text));
  assert.match(long.text, /connection: close/i);
  long.line.destroy();
});

const BRIEF: ConnectionLimits = {
  connections: 30,
  headersMs: 60_000,
  stallMs: 60_000,
  idleMs: 60_000,
  lingerMs: 8000,
  lingerIdleMs: 5000,
};
const HEAD = "POST /?status=401&answer=3 HTTP/1.1\r\nhost: a\r\n";
/** Clients that go on after their answer. */
const ENDLESS: Record<string, { head: string; piece: number; pieceMs: number }> = {
  "a huge body": { head: `${HEAD}content-length: 99999999999\r\n\r\n`, piece: 1 << 20, pieceMs: 0 },
  "a slow body": { head: `${HEAD}content-length: 99999999999\r\n\r\n`, piece: 10, pieceMs: 50 },
  "a silent body": { head: `${HEAD}content-length: 99999999999\r\n\r\n`, piece: 0, pieceMs: 50 },
  "chunks": {
    head: `${HEAD}transfer-encoding: chunked\r\n\r\nfffffffff\r\n`,
    piece: 1 << 16,
    pieceMs: 0,
  },
  "no request": { head: "x\r\n\r\n", piece: 1 << 16, pieceMs: 0 },
  "a slow one that is no request": { head: "x\r\n\r\n", piece: 10, pieceMs: 50 },
  "a refused upgrade": {
    head: "GET /?status=403 HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
    piece: 1 << 16,
    pieceMs: 0,
  },
};

for (const kind of ["plain", "TLS"] as const) {
  Deno.test(`serveHttp() ends a client that goes on after its answer, ${kind}`, async () => {
    await using server = await serving(kind, BRIEF);
    await Promise.all(
      Object.entries(ENDLESS).map(async ([name, { head, piece, pieceMs }]) => {
        const seen = dial(server), { line } = seen, part = new Uint8Array(piece);
        await write(line, head);
        const began = performance.now();
        let sent = 0;
        // as much as the other side takes, for ever
        while (!seen.isClosed && sent < 1 << 30) {
          // an empty write fails on a TLS socket that is closing
          if (piece > 0) await write(line, part);
          sent += piece;
          await pause(pieceMs);
          assert.ok(performance.now() - began < 60_000, `${name}: still open after a minute`);
        }
        const end = `${name}: ${JSON.stringify(seen.text.slice(0, 200))} ${seen.failure}`;
        assert.match(seen.text, /^HTTP\/1\.1 40[013] /, end);
        // the limit of discarded bytes, and the buffers of the system and the libraries
        assert.ok(sent < 160 << 20, `${name}: ${sent >> 20} MB were taken`);
      }),
    );
  });
}

/** Client on another thread: sends a body in pieces, and then reads. */
const SENDER = `
import { connect } from "node:net";
self.onmessage = ({ data: { port, head, pieces } }) => {
  let text = "";
  const line = connect(port, "127.0.0.1").pause();
  line.on("error", () => {}).on("data", (part) => text += part.toString("latin1"));
  line.on("close", () => self.postMessage(text));
  line.write(head, () => self.postMessage("begun"));
  const send = (left) => {
    if (left === 0) return line.resume();
    line.write(new Uint8Array(50_000));
    setTimeout(send, 25, left - 1);
  };
  send(pieces);
};`;

Deno.test("serveHttp() delivers early answers although its thread was blocked", async () => {
  const lingerIdleMs = 500, PIECES_SENT = 160;
  await using server = await serving("plain", { ...CONNECTION_LIMITS, lingerIdleMs });
  const url = URL.createObjectURL(new Blob([SENDER], { type: "text/javascript" }));
  const sender = new Worker(url, { type: "module" }), messages: string[] = [];
  sender.onmessage = ({ data }) => messages.push(data);
  const head = `${HEAD}content-length: ${PIECES_SENT * 50_000}\r\n\r\n`;
  sender.postMessage({ port: server.port, head, pieces: PIECES_SENT });
  await until(() => messages.length > 0);
  await pause(100);
  // The thread handles no event for longer than the limit, while the client goes on sending.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * lingerIdleMs);
  await until(() => messages.length > 1);
  assert.equal(messages[1]!.slice(9, 12), "401");
  sender.terminate();
  URL.revokeObjectURL(url);
});

Deno.test("serveHttp() lets new callers in however many others go on after their answers", async () => {
  await using server = await serving("plain", { ...BRIEF, lingerMs: 60_000, lingerIdleMs: 60_000 });
  const held = Array.from({ length: 60 }, (_, n) => {
    const seen = dial(server);
    const { head } = Object.values(ENDLESS)[n % 7]!;
    seen.line.write(head);
    return seen;
  });
  await until(() => held.filter(({ text }) => text.length > 0).length >= 30);
  for (let n = 0; n < 3; n++) {
    assert.equal(await (await fetch(`http://127.0.0.1:${server.port}/?answer=3`)).text(), "aaa");
  }
  for (const { line } of held) line.destroy();
});
