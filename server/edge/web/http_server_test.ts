// covers: S-100
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { writeHeapSnapshot } from "node:v8";
import type { ConnectionLimits, RequestHandler } from "@/server/edge/web/connections.ts";
import { CONNECTION_LIMITS, serveHttp } from "@/server/edge/web/http_server.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import { until } from "@/tests/sites/until.ts";

const BRIEF: ConnectionLimits = {
  connections: 200,
  headersMs: 1500,
  stallMs: 2000,
  idleMs: 500,
  lingerMs: 300,
  lingerIdleMs: 300,
};

async function serving(handler: RequestHandler, limits = CONNECTION_LIMITS) {
  const server = await serveHttp({ port: 0, hostname: "127.0.0.1", limits }, handler);
  const { port } = server.addr;
  return { port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A connection that sends a text; `text` is what came back, `isOpen` whether the server has not ended it. */
function raw(port: number, text: string) {
  const seen = { text: "", isOpen: true, socket: null as unknown as Socket };
  seen.socket = connect(port, "127.0.0.1");
  // queued until it is connected; in a callback it would come after bytes that the test has written meanwhile
  seen.socket.write(text);
  seen.socket.on("data", (part) => seen.text += part.toString("latin1"));
  seen.socket.on("close", () => seen.isOpen = false).on("error", () => {});
  return seen;
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("serveHttp() hands requests and answers on as they are", async () => {
  await using server = await serving(async (request, { remoteAddr }) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/empty") return new Response(null, { status: 204 });
    if (pathname === "/cookies") {
      return new Response("한글", { headers: [["set-cookie", "a=1"], ["set-cookie", "b=2"]] });
    }
    if (pathname === "/none") return new Response(null);
    const { method, headers } = request, text = await request.text();
    return Response.json([
      method,
      headers.get("x-a"),
      headers.get("host"),
      text.length,
      remoteAddr.hostname,
    ]);
  });
  const host = server.url.slice(7),
    ask = async (path: string, init?: RequestInit) => await fetch(server.url + path, init);
  for (const length of [0, 1, 100_000, 5_000_000]) {
    const answer = await ask("/?q=1", {
      method: "POST",
      body: "x".repeat(length),
      headers: { "x-a": "b" },
    });
    assert.deepEqual(await answer.json(), ["POST", "b", host, length, "127.0.0.1"]);
  }
  assert.deepEqual(await (await ask("/")).json(), ["GET", null, host, 0, "127.0.0.1"]);
  const cookies = await ask("/cookies");
  assert.deepEqual(cookies.headers.getSetCookie(), ["a=1", "b=2"]);
  assert.equal(cookies.headers.get("content-length"), "6");
  assert.equal(await cookies.text(), "한글");
  assert.equal((await ask("/empty")).status, 204);
  assert.equal((await ask("/none")).headers.get("content-length"), "0");
  const head = await ask("/", { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  // an address that is none
  const odd = raw(server.port, "GET / HTTP/1.1\r\nhost: a b\r\n\r\n");
  await until(() => !odd.isOpen);
  assert.match(odd.text, /^HTTP\/1\.1 400 /);
});

Deno.test("serveHttp() refuses several hosts, and believes no scheme or host in a request's first line", async () => {
  await using server = await serving((request) => new Response(request.url));
  const host = server.url.slice(7);
  const ask = async (target: string, hosts: string[], body = "") => {
    const lines = hosts.map((each) => `${each}\r\n`).join("");
    const seen = raw(
      server.port,
      `GET ${target} HTTP/1.1\r\n${lines}connection: close\r\n\r\n${body}`,
    );
    await until(() => !seen.isOpen);
    return [seen.text.slice(9, 12), seen.text.split("\r\n\r\n")[1]];
  };
  const ours = `host: ${host}`;
  assert.deepEqual(await ask("/a?b", [ours]), ["200", `http://${host}/a?b`]);
  for (const second of [ours, "HOST: other.example", "Host:"]) {
    assert.equal((await ask("/a", [ours, second]))[0], "400", second);
    assert.equal((await ask("/a", [second, ours]))[0], "400", second);
  }
  for (const scheme of ["http", "https", "HTTPS"]) {
    assert.deepEqual(await ask(`${scheme}://${host}/a?b`, [ours]), ["200", `http://${host}/a?b`]);
    assert.equal((await ask(`${scheme}://other.example/a`, [ours]))[0], "400");
  }
});

Deno.test("serveHttp() answers requests that are sent ahead in turn, and neither a flood nor a socket among them", async () => {
  let underWay = 0, most = 0, asked = 0;
  await using server = await serving(async (request, { upgrade }) => {
    if (upgrade) return upgrade(request, { idleTimeout: 30 }).response;
    asked++;
    most = Math.max(most, ++underWay);
    await pause(1);
    underWay--;
    return new Response(new URL(request.url).pathname);
  });
  const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
  const few = raw(server.port, Array.from({ length: 10 }, (_, n) => GET(`/${n}`)).join(""));
  await until(() => few.text.split("HTTP/1.1 200 ").length === 11);
  assert.deepEqual([...few.text.matchAll(/\r\n\r\n\/(\d)/g)].map(([, n]) => Number(n)), [
    ...Array(10).keys(),
  ]);
  assert.equal(most, 1, "one after the other");
  few.socket.destroy();
  asked = 0;
  const flood = raw(server.port, GET("/x").repeat(2000));
  await until(() => !flood.isOpen);
  assert.ok(asked <= 16, String(asked));
  // an answer under way, and then another protocol: this ended the process
  const socket = "GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
    "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  for (
    const before of [
      GET("/a"),
      GET("/a").repeat(3),
      "POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\nx",
    ]
  ) {
    const mixed = raw(server.port, before + socket);
    await until(() => !mixed.isOpen);
  }
  assert.equal(await (await fetch(server.url)).text(), "/");
});

/** A frame of a client (RFC 6455 §5.2), masked with zeros. @param announced Bytes that its head speaks of. */
function frame(head: number, announced: number, content: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(14 + content), view = new DataView(bytes.buffer);
  bytes.set([head, 0xff]);
  view.setBigUint64(2, BigInt(announced));
  return bytes;
}
/** More than the buffers of the system hold. */
const MAX_SENT = 64 << 20;
const PIECE = 0x02, GOES_ON = 0x00, WHOLE = 0x82;
const UNFINISHED: Record<string, (n: number) => Uint8Array<ArrayBuffer>> = {
  "fragments of 1 MB": (n) => frame(n === 0 ? PIECE : GOES_ON, 1 << 20, 1 << 20),
  "fragments of 10 kB": (n) => frame(n === 0 ? PIECE : GOES_ON, 10_000, 10_000),
  "fragments of a byte": (n) => frame(n === 0 ? PIECE : GOES_ON, 1, 1),
  "empty fragments": (n) => frame(n === 0 ? PIECE : GOES_ON, 0, 0),
  "a frame of 1 GB": (n) => n === 0 ? frame(WHOLE, 1 << 30, 1000) : new Uint8Array(1000),
  "a frame of 2^62 bytes": (n) => n === 0 ? frame(WHOLE, 2 ** 62, 1000) : new Uint8Array(1000),
};

for (const isTls of [false, true]) {
  Deno.test(`serveHttp() ends a socket that goes on without ending its message${isTls ? ", over TLS" : ""}`, async () => {
    let open = 0;
    const server = await serveHttp(
      { port: 0, hostname: "127.0.0.1", tls: isTls ? { cert: CERTIFICATE, key: KEY } : null },
      (request, { upgrade }) => {
        const { socket, response } = upgrade!(request, { idleTimeout: 30 });
        open++;
        socket.onclose = () => open--;
        return response;
      },
    );
    const MAX_TAKEN = 4 << 20;
    for (const [name, part] of Object.entries(UNFINISHED)) {
      const options = { port: server.addr.port, host: "127.0.0.1", rejectUnauthorized: false };
      const line = isTls ? connectTls(options) : connect(options);
      line.on("error", () => {});
      let isOpen = true, heard = "";
      line.on("close", () => isOpen = false).on(
        "data",
        (bytes) => heard += bytes.toString("latin1"),
      );
      line.write(
        "GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
          "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      );
      await until(() => heard.includes(" 101 "));
      let sent = 0;
      for (let n = 0; isOpen && sent < MAX_TAKEN && n < 20_000; n++) {
        const bytes = part(n);
        if (!line.write(bytes)) await pause(1);
        if (n % 100 === 0) await pause(0);
        sent += bytes.length;
      }
      await until(() => !isOpen && open === 0);
      // the last frame is the end of the socket with its code
      const code = Buffer.from(heard, "latin1").readUInt16BE(heard.lastIndexOf("\x88") + 2);
      assert.ok(code === 1008 || code === 1009, `${name}: ${code}`);
    }
    await server.shutdown();
  });
}

for (const isTls of [false, true]) {
  Deno.test(`serveHttp() reads nothing more of a socket whose message was too long${isTls ? ", over TLS" : ""}`, async () => {
    const server = await serveHttp(
      { port: 0, hostname: "127.0.0.1", tls: isTls ? { cert: CERTIFICATE, key: KEY } : null },
      (request, { upgrade }) => upgrade!(request, { idleTimeout: 30 }).response,
    );
    // a sender that goes on after the other side has ended
    const to = { port: server.addr.port, host: "127.0.0.1", allowHalfOpen: true };
    const line = isTls ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    line.on("error", () => {});
    let isOpen = true, heard = "", sent = 0;
    line.on("close", () => isOpen = false);
    line.on("data", (bytes) => heard += bytes.toString("latin1"));
    line.write(
      "GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n" +
        "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    await until(() => heard.includes(" 101 "));
    const bytes = frame(PIECE, 1 << 20, 1 << 20);
    // as much as the other side takes
    while (isOpen && sent < MAX_SENT) {
      sent += bytes.length;
      if (line.write(bytes)) continue;
      const free = new Promise<void>((resolve) =>
        line.once("drain", resolve).once("close", resolve)
      );
      await free;
    }
    line.destroy();
    assert.equal(Buffer.from(heard, "latin1").readUInt16BE(heard.lastIndexOf("\x88") + 2), 1009);
    assert.ok(sent < MAX_SENT, `${sent >> 20} MB were taken`);
    await server.shutdown();
  });
}

Deno.test("serveHttp() streams, holds senders back, and tells a handler that its caller is gone", async () => {
  let given = 0, isAborted = false, isCanceled = false, read = 0;
  const part = new Uint8Array(1 << 20);
  await using server = await serving(async (request) => {
    request.signal.addEventListener("abort", () => isAborted = true);
    if (request.method === "GET") {
      return new Response(
        new ReadableStream({
          pull: (controller) => {
            given++;
            controller.enqueue(part);
          },
          cancel: () => void (isCanceled = true),
        }, { highWaterMark: 0 }),
      );
    }
    // nobody reads at first
    await pause(300);
    const before = read;
    for await (const chunk of request.body!) read += chunk.length;
    return Response.json(before);
  });
  const giving = await fetch(server.url), reader = giving.body!.getReader();
  assert.ok((await reader.read()).value!.length > 0);
  await pause(200);
  // what the system holds for the two ends, and no more
  assert.ok(given < 32, String(given));
  await reader.cancel();
  await until(() => isAborted && isCanceled);

  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (++sent > 64) controller.close();
      else controller.enqueue(part);
    },
  }, { highWaterMark: 0 });
  const early = pause(200).then(() => sent);
  const taking = await fetch(server.url, { method: "POST", body });
  assert.ok(await early < 32, String(await early));
  await taking.body?.cancel();
  assert.equal(read, 64 << 20);
});

Deno.test("serveHttp() ends connections that neither send nor take, and leaves those that do", async () => {
  const broken: string[] = [], large = new Uint8Array(64 << 20);
  await using server = await serving(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/large") return new Response(large);
    if (pathname === "/unread") return new Response("no", { status: 401 });
    try {
      return new Response(String((await request.text()).length));
    } catch {
      broken.push(pathname);
      throw new Error("broken");
    }
  }, BRIEF);
  const headers = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`;
  const stalled = [
    ...Array.from({ length: 50 }, () => raw(server.port, "GET / HTTP/1.1\r\nhost: a\r\nx-")),
    ...Array.from({ length: 50 }, () => raw(server.port, "")),
    ...Array.from({ length: 20 }, () => raw(server.port, headers("/half", 100) + "half")),
    raw(server.port, "GET / HTTP/1.1\r\nhost: a\r\n\r\n"),
  ];
  const unread = raw(server.port, headers("/unread", 1 << 20) + "x".repeat(1000));
  const deaf = raw(server.port, "GET /large HTTP/1.1\r\nhost: a\r\n\r\n");
  deaf.socket.pause();
  // a byte now and then keeps an upload alive, for far longer than any of the limits
  const slow = raw(server.port, headers("/slow", 25));
  for (let sent = 0; sent < 25; sent++) {
    await pause(120);
    slow.socket.write("x");
  }
  await until(() => slow.text.endsWith("25"));
  await until(() => stalled.every(({ isOpen }) => !isOpen) && !unread.isOpen);
  assert.match(stalled[0]!.text, /^HTTP\/1\.1 408 /);
  assert.match(stalled[100]!.text, /^HTTP\/1\.1 408 /);
  assert.match(stalled.at(-1)!.text, /^HTTP\/1\.1 200 /);
  assert.match(unread.text, /^HTTP\/1\.1 401 [^]*no$/);
  assert.deepEqual(broken, Array(20).fill("/half"));
  deaf.socket.resume();
  await until(() => !deaf.isOpen);
  assert.ok(deaf.text.length < large.length);
});

Deno.test("serveHttp() lets a new caller in however many connections are open without a request", async () => {
  await using server = await serving(() => new Response("in"), {
    ...BRIEF,
    headersMs: 60_000,
    connections: 20,
  });
  const held = Array.from({ length: 60 }, () => raw(server.port, "GET / HTTP/1.1\r\n"));
  await until(() => held.filter(({ isOpen }) => isOpen).length <= 20);
  assert.equal(await (await fetch(server.url)).text(), "in");
  for (const { socket } of held) socket.destroy();
});

/** How many objects of a class are alive after a collection, which a snapshot begins with. */
async function aliveOf(name: string): Promise<number> {
  const path = await Deno.makeTempFile();
  try {
    const { snapshot: { meta }, nodes, strings } = JSON.parse(
      await Deno.readTextFile(writeHeapSnapshot(path)),
    );
    const width = meta.node_fields.length, at = meta.node_fields.indexOf("name"), object = 3;
    assert.equal(meta.node_types[0][object], "object");
    let count = 0;
    for (let node = 0; node < nodes.length; node += width) {
      if (nodes[node] === object && strings[nodes[node + at]] === name) count++;
    }
    return count;
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("serveHttp() keeps nothing of sockets that have ended", async () => {
  await using server = await serving((request, { upgrade }) => upgrade!(request, {}).response);
  const before = await aliveOf("CoalescedRequest");
  for (let n = 0; n < 20; n++) {
    const socket = new WebSocket(server.url.replace("http", "ws"));
    await new Promise((resolve) => socket.onopen = resolve);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  }
  // the server hears of the last end a moment later
  await until(async () => await aliveOf("CoalescedRequest") <= before + 1);
});

Deno.test("serveHttp() hands sockets over, which no limit of a connection ends, and counts them no more", async () => {
  const limits = { ...BRIEF, connections: 2 };
  await using server = await serving((request, { upgrade }) => {
    if (request.headers.get("x-refuse")) return new Response("no", { status: 403 });
    const { socket, response } = upgrade!(request, { idleTimeout: 30 });
    socket.onmessage = ({ data }) => socket.send(`${data} back`);
    return response;
  }, limits);
  const sockets: WebSocket[] = [];
  for (let n = 0; n < 5; n++) {
    const socket = new WebSocket(server.url.replace("http", "ws"));
    await new Promise((resolve) => socket.onopen = resolve);
    sockets.push(socket);
  }
  await pause(1500);
  for (const socket of sockets) {
    const heard = new Promise((resolve) => socket.onmessage = ({ data }) => resolve(data));
    socket.send("there and");
    assert.equal(await heard, "there and back");
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  }
  const refused = raw(
    server.port,
    "GET / HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\nx-refuse: 1\r\n\r\n",
  );
  await until(() => !refused.isOpen);
  assert.match(refused.text, /^HTTP\/1\.1 403 [^]*no$/);
});
