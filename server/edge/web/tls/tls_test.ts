// covers: S-51
import assert from "node:assert/strict";
import { CoreClient, CoreUnreachable } from "@/server/edge/remote/core_client.ts";
import { EDGE_CALLS } from "@/server/edge/remote/edge_service.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import { startSite } from "@/tests/e2e/site.ts";
import { hangUp, openSocket } from "@/tests/sites/edge_site.ts";
import { until } from "@/tests/sites/until.ts";

/** A core behind TLS that says whose a token is, and one event to every edge; `asked` are the calls that reached it. */
function serveTls() {
  const asked: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", cert: CERTIFICATE, key: KEY, onListen() {} },
    (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      if (pathname === EDGE_CALLS.tokens) {
        return Response.json({ owner_list: [{ uid: 1, sid: "s" }] });
      }
      if (pathname !== EDGE_CALLS.events) return Response.json({});
      const { socket, response } = Deno.upgradeWebSocket(request);
      const event = { event: "study_update", pid: 7, uid: 1 };
      // the edge's browser is there a moment after the edge
      const telling = setInterval(() => {
        if (socket.readyState === WebSocket.OPEN) {
          socket.send(JSON.stringify({ event, audience: {} }));
        }
      }, 50);
      socket.onclose = socket.onerror = () => clearInterval(telling);
      return response;
    },
  );
  const { port } = server.addr;
  return {
    asked,
    port,
    url: `https://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("CoreClient sends nothing to a core whose certificate is not trusted, or is another machine's", async () => {
  await using core = serveTls();
  const call = async (url: string, ca?: string) => {
    const http = new CoreClient(url, { ca });
    try {
      const headers = { authorization: "Bearer secret" };
      const answer = await http.fetch(new Request("http://core/api/v1/user", { headers }));
      await answer.body?.cancel();
      return answer.status;
    } finally {
      http.close();
    }
  };
  await assert.rejects(call(core.url), CoreUnreachable);
  await assert.rejects(call(`https://localhost:${core.port}`, CERTIFICATE), CoreUnreachable);
  assert.deepEqual(core.asked, []);
  assert.equal(await call(core.url, CERTIFICATE), 200);
});

/** A proxy that takes no call, and whether one came. */
function serveProxy() {
  const heard: string[] = [], listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const running = (async () => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(4096), count = await connection.read(bytes);
      heard.push(new TextDecoder().decode(bytes.subarray(0, count ?? 0)).split("\r\n")[0]!);
      connection.close();
    }
  })();
  const url = `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  return {
    heard,
    /** names of the environment that send calls to it */
    variables: Object.fromEntries(
      ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"].map((
        name,
      ) => [name, url]),
    ),
    async [Symbol.asyncDispose]() {
      listener.close();
      await running;
    },
  };
}

Deno.test("CoreClient asks no proxy that the environment names, and leaves other calls to it", async () => {
  await using core = serveTls();
  await using proxy = serveProxy();
  const plain = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("core"),
  );
  const names = [...Object.keys(proxy.variables), "NO_PROXY", "no_proxy"];
  const before = names.map((name) => [name, Deno.env.get(name)] as const);
  for (const name of names) Deno.env.delete(name);
  Deno.env.set("NO_PROXY", "other.example");
  for (const [name, value] of Object.entries(proxy.variables)) Deno.env.set(name, value);
  try {
    // what a client is made with otherwise
    const usual = Deno.createHttpClient({});
    await assert.rejects(fetch(`http://127.0.0.1:${plain.addr.port}/`, { client: usual }));
    assert.deepEqual(proxy.heard.splice(0).length, 1);
    usual.close();
    for (const url of [`http://127.0.0.1:${plain.addr.port}`, core.url]) {
      const http = new CoreClient(url, { ca: CERTIFICATE });
      for (const headers of [{}, { "accept-encoding": "gzip" }] as Record<string, string>[]) {
        assert.equal((await http.fetch(new Request("http://core/x", { headers }))).status, 200);
      }
      http.close();
    }
    assert.equal(Deno.env.get("NO_PROXY"), "other.example,127.0.0.1");
    assert.deepEqual(proxy.heard, []);
  } finally {
    for (const [name, value] of before) {
      value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
    }
    await plain.shutdown();
  }
});

Deno.test("an edge hears its core through TLS with the certificates of DENO_CERT", async () => {
  await using core = serveTls();
  await using proxy = serveProxy();
  const folder = await Deno.makeTempDir({ prefix: "sulcus-tls-" });
  try {
    await Deno.writeTextFile(`${folder}/ca.pem`, CERTIFICATE);
    await using edge = await startSite({
      // with the permissions that it has in use, and a proxy that must not hear of patients or keys
      command: "start",
      env: {
        ...proxy.variables,
        // Deno's own question for a newer Deno
        DENO_NO_UPDATE_CHECK: "1",
        SULCUS_CORE_URL: core.url,
        SULCUS_CORE_KEY: "a-key-that-nobody-guesses-0123456789",
        DENO_CERT: `${folder}/ca.pem`,
      },
    });
    const heard = openSocket(`${edge.url}/api/v1/ws`, { authorization: "Bearer t" });
    await heard.opened;
    await until(() => heard.events.length > 0);
    assert.equal(heard.events[0]!.pid, 7);
    await hangUp(heard);
    const image = await fetch(`${edge.url}/api/v1/patients/image/viewer/1`, {
      headers: { authorization: "Bearer t", "accept-encoding": "gzip" },
    });
    assert.deepEqual(await image.json(), {});
    assert.deepEqual(proxy.heard, []);
    // the launcher takes the site with it
    await edge.stop();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
