import assert from "node:assert/strict";
import { createSite, type SiteSettings } from "@/fresh.config.ts";
import type { CoreLink } from "@/edge/site.ts";
import { withoutHeaders } from "@/edge/proxy.ts";

/** A core elsewhere: a served program that speaks HTTP, with the given handler behind it. */
async function serveBehind(
  handler: (request: Request) => Response | Promise<Response>,
  settings: Partial<SiteSettings> = {},
) {
  const upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handler);
  const core: CoreLink = {
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      return fetch(new Request(`http://127.0.0.1:${upstream.addr.port}${pathname}${search}`, request));
    },
    subscribe: () => () => {},
    verifyToken: () => Promise.resolve(null),
  };
  const site = await createSite({ core, settings: { dataDir: null, ...settings } });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async [Symbol.asyncDispose]() {
      site.close();
      await server.shutdown();
      await upstream.shutdown();
    },
  };
}
const BEARER = { authorization: "Bearer own" };

Deno.test("proxy hands on each part of an answer as soon as it is there", async () => {
  const gate = Promise.withResolvers<void>();
  await using edge = await serveBehind(() =>
    new Response(
      new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode("first"));
          await gate.promise;
          controller.enqueue(new TextEncoder().encode("second"));
          controller.close();
        },
      }),
    )
  );
  const answer = await fetch(`${edge.url}/api/v1/slow`, { headers: BEARER });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader.read()).value, "first");
  gate.resolve();
  assert.equal((await reader.read()).value, "second");
  assert.equal((await reader.read()).done, true);
});

Deno.test("proxy hands on an upload while it is still being sent", async () => {
  const arrived = Promise.withResolvers<void>();
  await using edge = await serveBehind(async (request) => {
    let received = 0;
    for await (const chunk of request.body!) {
      received += chunk.byteLength;
      arrived.resolve();
    }
    return Response.json({ received });
  });
  const part = new Uint8Array(1 << 16);
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // the rest is not sent before the first part has come through
      if (sent === 1) await arrived.promise;
      if (sent++ < 256) controller.enqueue(part.slice());
      else controller.close();
    },
  }, { highWaterMark: 0 });
  const answer = await fetch(`${edge.url}/api/v1/patients`, { method: "POST", body, headers: BEARER });
  assert.deepEqual(await answer.json(), { received: 16 << 20 });
});

Deno.test("proxy keeps the cookie and hop-by-hop headers to itself, and names the request", async () => {
  let seen = new Headers();
  await using edge = await serveBehind((request) => {
    seen = request.headers;
    return new Response("x", {
      headers: { "set-cookie": "theirs=1", "x-kept": "yes", "content-range": "bytes 0-0/9" },
      status: 206,
    });
  });
  const answer = await fetch(`${edge.url}/api/v1/file?a=1`, {
    headers: { ...BEARER, cookie: "sulcus_session=x", te: "trailers", range: "bytes=0-0" },
  });
  assert.equal(answer.status, 206);
  assert.equal(await answer.text(), "x");
  assert.equal(answer.headers.get("set-cookie"), null);
  assert.equal(answer.headers.get("x-kept"), "yes");
  assert.equal(answer.headers.get("content-range"), "bytes 0-0/9");
  for (const name of ["cookie", "te", "upgrade"]) assert.equal(seen.get(name), null, name);
  assert.equal(seen.get("range"), "bytes=0-0");
  assert.equal(seen.get("authorization"), "Bearer own");
  assert.equal(seen.get("x-request-id"), answer.headers.get("x-request-id"));
  assert.equal(seen.get("x-forwarded-for"), "127.0.0.1");
});

Deno.test("proxy believes X-Forwarded-For of the proxies it is told to, one after another", async () => {
  let seen = "";
  const note = (request: Request) => {
    seen = request.headers.get("x-forwarded-for") ?? "";
    return new Response(null);
  };
  const headers = { ...BEARER, "x-forwarded-for": "6.6.6.6, 10.0.0.7, 127.0.0.2" };
  const isTrustedProxy = (address: string) => address.startsWith("127.");
  await using trusting = await serveBehind(note, { isTrustedProxy });
  await fetch(`${trusting.url}/api/v1/user`, { headers });
  assert.equal(seen, "10.0.0.7");
  await using strict = await serveBehind(note);
  await fetch(`${strict.url}/api/v1/user`, { headers });
  assert.equal(seen, "127.0.0.1");
});

Deno.test("proxy sends the user service's calls, and nothing else, to where that is", async () => {
  const asked: string[] = [];
  const users = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
    return Response.json({ limit: [] }, { status: 401 });
  });
  const settings = { userService: `http://127.0.0.1:${users.addr.port}` };
  await using edge = await serveBehind(() => Response.json("core"), settings);
  const license = await fetch(`${edge.url}/vuuc/api/user/license?a=1`, { headers: BEARER });
  assert.deepEqual([license.status, await license.json()], [401, { limit: [] }]);
  assert.equal(await (await fetch(`${edge.url}/api/v1/user`, { headers: BEARER })).json(), "core");
  assert.deepEqual(asked, ["GET /vuuc/api/user/license Bearer own"]);
  const config = await (await fetch(`${edge.url}/mocks/config.json`)).json();
  assert.deepEqual(Object.keys(config), ["product_id", "default_language", "platform", "vuuc_service_url"]);
  await users.shutdown();
});

Deno.test("proxy answers core.unreachable when the core is away", async () => {
  const site = await createSite({
    core: {
      fetch: () => Promise.reject(new TypeError("connection refused")),
      subscribe: () => () => {},
      verifyToken: () => Promise.resolve(null),
    },
    settings: { dataDir: null },
  });
  const answer = await site.fetch(new Request("http://site/api/v1/patients", { headers: BEARER }));
  assert.equal(answer.status, 502);
  assert.equal((await answer.json()).code, "core.unreachable");
  site.close();
});

Deno.test("withoutHeaders() also drops the headers that Connection names", () => {
  const headers = new Headers({ connection: "close, X-Private", "x-private": "1", "x-other": "2" });
  assert.deepEqual([...withoutHeaders(headers, ["connection"])], [["x-other", "2"]]);
});
