import assert from "node:assert/strict";
import * as z from "zod/mini";
import { call, callJson, requestOf } from "@/client/api/http.ts";

const ORIGIN = "http://core";

Deno.test("requestOf() leaves empty query values out and carries the token", () => {
  const request = requestOf({ send: fetch, origin: ORIGIN, token: "t" }, "/api/v1/x", {
    query: { a: "", b: null, c: undefined, d: 0, e: "ä&b" },
    json: { a: 1 },
    method: "POST",
  });
  assert.equal(request.url, "http://core/api/v1/x?d=0&e=%C3%A4%26b");
  assert.equal(request.headers.get("authorization"), "Bearer t");
  assert.equal(request.headers.get("content-type"), "application/json");
});

Deno.test("call() turns problem details back into an AppError", async () => {
  const body = { code: "study.deleted", status: 410, details: { pid: 7 }, request_id: "r" };
  const api = { origin: ORIGIN, send: () => Promise.resolve(Response.json(body, { status: 410 })) };
  await assert.rejects(call(api, "/x"), {
    code: "study.deleted",
    details: { pid: 7, request_id: "r" },
  });
});

Deno.test("call() takes an answer that is not ours for internal, or for an unreachable core", async () => {
  const page = (status: number) => ({
    origin: ORIGIN,
    send: () => Promise.resolve(new Response("<html>", { status })),
  });
  await assert.rejects(call(page(500), "/x"), { code: "internal" });
  await assert.rejects(call(page(502), "/x", { method: "POST" }), { code: "core.unreachable" });
});

Deno.test("call() repeats reads that found no network, and nothing else", async () => {
  let count = 0;
  const api = {
    origin: ORIGIN,
    send: () =>
      count++ === 0
        ? Promise.reject(new TypeError("no network"))
        : Promise.resolve(new Response("ok")),
  };
  assert.equal(await (await call(api, "/x")).text(), "ok");
  assert.equal(count, 2);
  count = 0;
  await assert.rejects(call(api, "/x", { method: "POST" }), { code: "network.offline" });
  assert.equal(count, 1);
});

Deno.test("callJson() refuses an answer that differs from its schema", async () => {
  const api = { origin: ORIGIN, send: () => Promise.resolve(Response.json({ n: "1" })) };
  await assert.rejects(callJson(api, z.object({ n: z.number() }), "/x"), { code: "internal" });
});

Deno.test("callJson() takes an answer that breaks off for a lost network", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const api = {
    origin: `http://127.0.0.1:${listener.addr.port}`,
    send: (request: Request) => fetch(request),
  };
  for (const status of ["200 OK", "409 Conflict"]) {
    const answering = (async () => {
      using connection = await listener.accept();
      await connection.read(new Uint8Array(4096));
      await connection.write(
        new TextEncoder().encode(`HTTP/1.1 ${status}\r\ncontent-length: 90\r\n\r\n{"n"`),
      );
    })();
    const asked = callJson(api, z.object({ n: z.number() }), "/x", { method: "POST" });
    await assert.rejects(asked, { code: "network.offline" }, status);
    await answering;
  }
});
