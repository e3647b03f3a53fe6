import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { CoreHttp, NoAnswer } from "@/edge/core_http.ts";
import { until } from "@/tests/until.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** A core that is one function, and calls of it. */
function serve(answer: Answer, port = 0) {
  const server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, answer);
  const http = new CoreHttp(`http://127.0.0.1:${server.addr.port}`);
  return {
    port: server.addr.port,
    http,
    send: (init: RequestInit = {}, path = "/api/v1/x") => http.fetch(new Request(`http://core${path}`, init)),
    async [Symbol.asyncDispose]() {
      http.close();
      await server.shutdown();
    },
  };
}

/** A source that never ends, and whether it was given up. */
function endless(onCancel: () => void): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1 << 16)),
    cancel: onCancel,
  }, { highWaterMark: 0 });
}

Deno.test("fetch() hands compressed bodies on as they are stored, with their headers", async () => {
  const packed = gzipSync(new Uint8Array(1 << 20));
  let asked: string | null = "";
  await using core = serve(({ headers }) => {
    asked = headers.get("accept-encoding");
    return new Response(new Uint8Array(packed), { headers: { "content-encoding": "gzip", "etag": '"a"' } });
  });
  const answer = await core.send({ headers: { "accept-encoding": "gzip, br" } });
  assert.equal(answer.headers.get("content-encoding"), "gzip");
  assert.equal(answer.headers.get("etag"), '"a"');
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), packed);
  assert.equal(asked, "gzip, br");
  // nobody said that the answer may be packed
  await (await core.send()).body?.cancel();
  assert.equal(asked, "identity");
});

Deno.test("fetch() keeps what belongs to one connection or to the browser, and hands the rest on", async () => {
  let seen = new Headers();
  await using core = serve(({ headers }) => {
    seen = headers;
    return new Response(null, { status: 204, headers: [["x-a", "1"], ["x-a", "2"]] });
  });
  const answer = await core.send({
    headers: {
      "sec-fetch-site": "same-origin",
      "te": "trailers",
      "x-request-id": "request-1",
      "range": "bytes=0-1",
    },
  });
  assert.deepEqual([answer.status, answer.headers.get("x-a")], [204, "1, 2"]);
  assert.deepEqual([seen.get("x-request-id"), seen.get("range")], ["request-1", "bytes=0-1"]);
  assert.deepEqual([seen.get("sec-fetch-site"), seen.get("te")], [null, null]);
  const head = await core.send({ method: "HEAD" });
  assert.equal(head.body, null);
});

Deno.test("fetch() sends 64 MiB as fast as the core takes them, and never holds them", async () => {
  const gate = Promise.withResolvers<void>(), size = 64 << 20;
  await using core = serve(async ({ body }) => {
    await gate.promise;
    let received = 0;
    for await (const part of body!) received += part.length;
    return Response.json(received);
  });
  let made = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (made === size) return controller.close();
      made += 1 << 16;
      controller.enqueue(new Uint8Array(1 << 16));
    },
  }, { highWaterMark: 0 });
  const answer = core.send({ method: "POST", body: source });
  let before = -1;
  // as long as the core reads nothing, the source stands still after what the connection holds
  await until(async () => {
    const isStill = made > 0 && made === before;
    before = made;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return isStill;
  });
  assert.ok(made < 16 << 20, `${made} bytes are held`);
  gate.resolve();
  assert.equal(await (await answer).json(), size);
});

Deno.test("fetch() ends the call at the core when the answer is given up or the caller leaves", async () => {
  let ended = 0;
  await using core = serve(() => new Response(endless(() => ended++)));
  const reader = (await core.send()).body!.getReader();
  await reader.read();
  await reader.cancel();
  await until(() => ended === 1);
  const leaving = new AbortController();
  const second = (await core.send({ signal: leaving.signal })).body!.getReader();
  await second.read();
  leaving.abort();
  await until(() => ended === 2);
});

Deno.test("fetch() ends the call at the core when the caller leaves before the answer", async () => {
  let isEnded = false;
  const asked = Promise.withResolvers<void>();
  await using core = serve(async ({ signal }) => {
    asked.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    isEnded = true;
    return new Response();
  });
  const leaving = new AbortController(), answer = core.send({ signal: leaving.signal });
  await asked.promise;
  leaving.abort();
  await assert.rejects(answer, (error) => !(error instanceof NoAnswer));
  await until(() => isEnded);
});

Deno.test("fetch() never lets half an upload look like a whole one", async () => {
  let state = "";
  await using core = serve(async ({ body }) => {
    try {
      for await (const _ of body!) state = "begun";
      state = "whole";
    } catch {
      state = "broken";
    }
    return new Response();
  });
  const source = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (state === "begun") return controller.error(new Error("the browser is gone"));
      controller.enqueue(new Uint8Array(1000));
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  }, { highWaterMark: 0 });
  await assert.rejects(core.send({ method: "POST", body: source }), NoAnswer);
  await until(() => state === "broken");
  // and the source is given up when the caller leaves
  let isGivenUp = false;
  const leaving = new AbortController();
  const answer = core.send({ method: "POST", body: endless(() => isGivenUp = true), signal: leaving.signal });
  leaving.abort();
  await assert.rejects(answer);
  await until(() => isGivenUp);
});

Deno.test("fetch() says within 2 s that the core is away, also on a connection that stayed, and goes on when it is back", async () => {
  // a machine without power: its connections are there, and nothing answers on them
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" }), { port } = listener.addr as Deno.NetAddr;
  const http = new CoreHttp(`http://127.0.0.1:${port}`),
    asked = () => http.fetch(new Request("http://core/x"));
  const first = asked(), connection = await listener.accept();
  await connection.read(new Uint8Array(4096));
  await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"));
  assert.equal(await (await first).text(), "hi");
  listener.close();
  for (let i = 0; i < 2; i++) {
    const start = performance.now();
    await assert.rejects(asked(), NoAnswer);
    assert.ok(performance.now() - start < 2000, `${performance.now() - start} ms`);
  }
  connection.close();
  await using back = serve(() => new Response("back"), port);
  assert.equal(await (await asked()).text(), "back");
  assert.equal(await http.isThere(), true);
  http.close();
  void back;
});

Deno.test("fetch() never lets half an answer look like a whole one", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" }), { port } = listener.addr as Deno.NetAddr;
  const http = new CoreHttp(`http://127.0.0.1:${port}`);
  for (
    const [head, part] of [["content-length: 10", "12345"], ["transfer-encoding: chunked", "5\r\n12345\r\n"]]
  ) {
    const asked = http.fetch(new Request("http://core/x")), connection = await listener.accept();
    await connection.read(new Uint8Array(4096));
    await connection.write(new TextEncoder().encode(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${part}`));
    const answer = await asked;
    connection.close();
    await assert.rejects(answer.text(), () => true, head);
  }
  listener.close();
  http.close();
});
