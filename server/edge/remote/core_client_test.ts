import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { CoreClient, CoreUnreachable } from "@/server/edge/remote/core_client.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** Headers of a read whose answer may be compressed, and of one that takes it plain. */
const WAYS: Record<string, string>[] = [{ "accept-encoding": "gzip" }, {}];

/** A core that is one function, and calls of it. */
function serve(answer: Answer, { port = 0 } = {}) {
  const server = Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, answer);
  const http = new CoreClient(`http://127.0.0.1:${server.addr.port}`);
  return {
    port: server.addr.port,
    http,
    send: (init: RequestInit = {}, path = "/api/v1/x") =>
      http.fetch(new Request(`http://core${path}`, init)),
    async [Symbol.asyncDispose]() {
      http.close();
      await server.shutdown();
    },
  };
}

/** A core whose bytes are said by hand, and calls of it. */
function listen(port = 0) {
  const listener = Deno.listen({ port, hostname: "127.0.0.1" });
  const http = new CoreClient(`http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`);
  return {
    port: (listener.addr as Deno.NetAddr).port,
    listener,
    send: (headers: Record<string, string>) =>
      http.fetch(new Request("http://core/x", { headers })),
    async hear(connection: Deno.Conn, text = ""): Promise<void> {
      await connection.read(new Uint8Array(4096));
      await connection.write(new TextEncoder().encode(text));
    },
    [Symbol.dispose]() {
      http.close();
      try {
        listener.close();
      } catch { /* it was closed */ }
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
  for (const accept of ["gzip, br", "br", ""]) {
    const asked: (string | null)[] = [];
    await using core = serve(({ headers }) => {
      const coding = headers.get("accept-encoding")!.split(",")[0]!;
      asked.push(headers.get("accept-encoding"));
      return new Response(new Uint8Array(packed), {
        headers: {
          "etag": '"a"',
          ...(coding === "identity" ? {} : { "content-encoding": coding }),
        },
      });
    });
    const answer = await core.send({ headers: accept === "" ? {} : { "accept-encoding": accept } });
    const coding = accept === "" ? null : accept.split(",")[0]!;
    assert.deepEqual([answer.headers.get("content-encoding"), answer.headers.get("etag")], [
      coding,
      '"a"',
    ]);
    assert.equal(answer.headers.get("content-length"), String(packed.length));
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), packed);
    assert.deepEqual(asked, [accept === "" ? "identity" : accept]);
  }
});

Deno.test("fetch() takes a body as it comes from a machine that packs whatever it is asked for", async () => {
  const packed = gzipSync(new Uint8Array(1000));
  let calls = 0;
  await using core = serve(() => {
    calls++;
    return new Response(new Uint8Array(packed), { headers: { "content-encoding": "gzip" } });
  });
  const answer = await core.send();
  assert.equal(answer.headers.get("content-encoding"), "gzip");
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), packed);
  assert.equal(calls, 1);
});

Deno.test("fetch() keeps what belongs to one connection or to the browser, and hands the rest on", async () => {
  let seen = new Headers();
  await using core = serve(({ headers, url }) => {
    seen = headers;
    const status = Number(new URL(url).searchParams.get("status"));
    return new Response(null, {
      status,
      headers: [["x-a", "1"], ["x-a", "2"], ["location", "/y"]],
    });
  });
  const sent = {
    "sec-fetch-site": "same-origin",
    "te": "trailers",
    "cookie": "a=1",
    "x-request-id": "request-1",
    "range": "bytes=0-1",
  };
  for (const way of WAYS) {
    for (const status of [204, 302, 304, 416]) {
      const answer = await core.send(
        { headers: { ...way, ...sent } },
        `/api/v1/x?status=${status}`,
      );
      assert.deepEqual([answer.status, answer.headers.get("x-a")], [status, "1, 2"]);
      assert.equal(await answer.text(), "");
      assert.deepEqual([seen.get("x-request-id"), seen.get("range")], ["request-1", "bytes=0-1"]);
      assert.deepEqual(["sec-fetch-site", "te", "cookie"].map((name) => seen.get(name)), [
        null,
        null,
        null,
      ]);
    }
    const head = await core.send({ method: "HEAD", headers: way }, "/api/v1/x?status=200");
    assert.equal(head.body, null);
  }
});

// covers: S-55
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

// covers: S-56
Deno.test("fetch() ends the call at the core when the answer is given up or the caller leaves", async () => {
  let ended = 0, expected = 0;
  await using core = serve(() => new Response(endless(() => ended++)));
  for (const headers of WAYS) {
    const reader = (await core.send({ headers })).body!.getReader();
    await reader.read();
    await reader.cancel();
    expected++;
    await until(() => ended === expected);
    const leaving = new AbortController();
    const second = (await core.send({ headers, signal: leaving.signal })).body!.getReader();
    await second.read();
    leaving.abort();
    expected++;
    await until(() => ended === expected);
    await assert.rejects(async () => {
      while (!(await second.read()).done);
    });
  }
});

Deno.test("fetch() ends the call at the core when the caller leaves before the answer", async () => {
  let isEnded = false, asked = Promise.withResolvers<void>();
  await using core = serve(async ({ signal }) => {
    asked.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    isEnded = true;
    return new Response();
  });
  for (const headers of WAYS) {
    const leaving = new AbortController(), answer = core.send({ headers, signal: leaving.signal });
    await asked.promise;
    leaving.abort();
    await assert.rejects(answer, (error) => !(error instanceof CoreUnreachable));
    await until(() => isEnded);
    asked = Promise.withResolvers();
    isEnded = false;
  }
});

// covers: S-56
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
  await assert.rejects(core.send({ method: "POST", body: source }), CoreUnreachable);
  await until(() => state === "broken");
  // and the source is given up when the caller leaves
  let isGivenUp = false;
  const leaving = new AbortController();
  const answer = core.send({
    method: "POST",
    body: endless(() => isGivenUp = true),
    signal: leaving.signal,
  });
  leaving.abort();
  await assert.rejects(answer);
  await until(() => isGivenUp);
});

Deno.test("fetch() keeps nothing of a body that it has handed on", async () => {
  await using core = serve(async ({ body }) => {
    let size = 0;
    for await (const part of body!) size += part.length;
    return Response.json(size);
  });
  const size = 256 << 20, before = Deno.memoryUsage().external;
  let sent = 0, most = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      most = Math.max(most, Deno.memoryUsage().external - before);
      if (sent === size) return controller.close();
      sent += 1 << 18;
      controller.enqueue(new Uint8Array(1 << 18));
    },
  }, { highWaterMark: 0 });
  assert.equal(await (await core.send({ method: "POST", body })).json(), size);
  assert.ok(most < size / 2, `${most >> 20} MB are held`);
});

// covers: S-59
Deno.test("fetch() says within 2 s that the core is away, also on a connection that stayed, and goes on when it is back", async () => {
  for (const way of WAYS) {
    // a machine without power: its connections are there, and nothing answers on them
    using core = listen(lastingPort());
    const first = core.send(way), connection = await core.listener.accept();
    await core.hear(connection, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
    assert.equal(await (await first).text(), "hi");
    core.listener.close();
    for (let i = 0; i < 2; i++) {
      // counted rather than measured: what others do with the machine is not the time of this process
      let beats = 0;
      const beat = setInterval(() => beats++, 20);
      await assert.rejects(core.send(way), CoreUnreachable);
      clearInterval(beat);
      assert.ok(20 * beats < 2000, `${20 * beats} ms`);
    }
    connection.close();
    await using back = serve(() => new Response("back"), { port: core.port });
    assert.equal(await (await core.send(way)).text(), "back");
    assert.equal(await back.http.isThere(), true);
  }
});

// covers: S-59
Deno.test("fetch() asks again when the core has closed a connection that stayed", async () => {
  for (const way of WAYS) {
    using core = listen();
    const first = core.send(way), connection = await core.listener.accept();
    await core.hear(connection, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
    assert.equal(await (await first).text(), "hi");
    const second = core.send(way);
    // the next call was on its way already
    await core.hear(connection);
    connection.close();
    using fresh = await core.listener.accept();
    await core.hear(fresh, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nagain");
    assert.equal(await (await second).text(), "again");
  }
});

// covers: S-56
Deno.test("fetch() never lets half an answer look like a whole one", async () => {
  using core = listen();
  for (const way of WAYS) {
    for (
      const [head, part] of [["content-length: 10", "12345"], [
        "transfer-encoding: chunked",
        "5\r\n12345\r\n",
      ]]
    ) {
      const asked = core.send(way), connection = await core.listener.accept();
      await core.hear(connection, `HTTP/1.1 200 OK\r\n${head}\r\n\r\n${part}`);
      const answer = await asked;
      connection.close();
      await assert.rejects(answer.text(), () => true, head);
    }
  }
});
