import assert from "node:assert/strict";
import { createSite, type SiteSettings } from "@/server/edge/site.ts";
import type { CoreLink } from "@/server/edge/remote/core_link.ts";
import {
  changePassword,
  getCreditLog,
  getCreditMonths,
  getLicense,
  getVuucToken,
} from "@/client/api/site/license.ts";
import { withoutHeaders } from "@/server/edge/remote/proxy.ts";

/** A core elsewhere: a served program that speaks HTTP, with the given handler behind it. */
async function serveBehind(
  handler: (request: Request) => Response | Promise<Response>,
  settings: Partial<SiteSettings> = {},
) {
  const upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handler);
  const core: CoreLink = {
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      return fetch(
        new Request(`http://127.0.0.1:${upstream.addr.port}${pathname}${search}`, request),
      );
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

// covers: S-54
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

// covers: S-54
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
  const answer = await fetch(`${edge.url}/api/v1/patients`, {
    method: "POST",
    body,
    headers: BEARER,
  });
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
  assert.equal(seen.get("x-forwarded-host"), new URL(edge.url).host);
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

/** A user service of somebody else's, which notes how it is called. */
function serveUsers() {
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    "/vuuc/api/auth/token": { access_token: "theirs" },
    "/vuuc/api/user/license": {
      limit: ["use_limit"],
      total_remain_credit: 7,
      expire_date: "2030-12-31",
    },
    "/vuuc/api/user/credit/log": { logs: [], total: 0, page: 3, per_page: 50 },
    "/vuuc/api/user/credit/log/month": { months: [] },
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url), body = await request.text();
    asked.push(
      [request.method, pathname + search, request.headers.get("authorization"), body].join(" ")
        .trim(),
    );
    return request.method === "PUT"
      ? new Response(null, { status: 204 })
      : Response.json(answers[pathname]);
  });
  return {
    asked,
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

// covers: D1-7.4
Deno.test("proxy sends the user service's calls, and nothing else, to where that is", async () => {
  await using users = serveUsers();
  await using edge = await serveBehind(() => Response.json("core"), {
    userService: users.url,
    language: "ko",
  });
  const api = { origin: edge.url, token: "own", send: (request: Request) => fetch(request) };
  assert.deepEqual(await getVuucToken(api), { access_token: "theirs" });
  assert.equal((await getLicense(api)).total_remain_credit, 7);
  await changePassword(api, { current_password: "old-1234", new_password: "new-1234" });
  const choice = {
    sort_by: "asc",
    start_date_by: "2026-05-01",
    end_date_by: "2026-05-31",
    is_rollback: true,
    page: 3,
    per_page: 50,
  } as const;
  assert.equal((await getCreditLog(api, choice)).per_page, 50);
  await getCreditMonths(api, { start_date_by: "2026-05-01" });
  assert.equal(await (await fetch(`${edge.url}/api/v1/user`, { headers: BEARER })).json(), "core");
  const own = "Bearer own";
  assert.deepEqual(users.asked.map((line) => decodeURIComponent(line)), [
    `GET /vuuc/api/auth/token ${own}`,
    `GET /vuuc/api/user/license ${own}`,
    `PUT /vuuc/api/user ${own} {"current_password":"old-1234","new_password":"new-1234"}`,
    "GET /vuuc/api/user/credit/log?sort_by=asc&start_date_by=2026-05-01&end_date_by=2026-05-31&page=3&per_page=50" +
    `&is_rollback=true ${own}`,
    `GET /vuuc/api/user/credit/log/month?start_date_by=2026-05-01 ${own}`,
  ]);

  await using lonely = await serveBehind(() => Response.json("core"), {
    userService: "http://127.0.0.1:1",
  });
  const away = await fetch(`${lonely.url}/vuuc/api/user/license`, { headers: BEARER });
  assert.deepEqual([away.status, (await away.json()).code], [502, "core.unreachable"]);
});

// covers: D1-1.1
Deno.test("mocks/config.json says the product, the language, the platform and where the user service is reached", async () => {
  for (const language of ["en", "ko"] as const) {
    await using edge = await serveBehind(() => Response.json("core"), { language });
    const config = await (await fetch(`${edge.url}/mocks/config.json`)).json();
    assert.deepEqual(config, {
      product_id: "sulcus",
      default_language: language,
      platform: "web",
      vuuc_service_url: "/vuuc",
    });
    // whoever has not chosen a language has this one
    const htmlIn = async (cookie: string) => {
      const page = await (await fetch(`${edge.url}/no-such-page`, { headers: { cookie } })).text();
      return /<html[^>]* lang="(\w+)"/.exec(page)?.[1];
    };
    assert.equal(await htmlIn(""), language);
    assert.equal(await htmlIn("language=en"), "en");
  }
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

// covers: S-79
Deno.test("a request whose host is none is refused as bad, and is no error of the site", async () => {
  await using edge = await serveBehind(() => Response.json("core"));
  const port = Number(new URL(edge.url).port);
  for (const path of ["/", "/api/v1/status", "/static/none.js", "/api/v1/ws"]) {
    for (const host of ["127.0.0.1:80:80", "[::", "a b", "%00", "x:99999"]) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port });
      const text = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`;
      await connection.write(new TextEncoder().encode(text));
      const answer = await new Response(connection.readable).text();
      assert.match(answer, /^HTTP\/1\.1 400 /, `${path} of ${host}`);
    }
  }
});
