import assert from "node:assert/strict";
import { CoreHttp, NoAnswer } from "@/edge/core_http.ts";
import { EDGE_CALLS } from "@/edge/edge_service.ts";
import { CERTIFICATE, KEY } from "@/edge/tls_certificate_fixture.ts";
import { startSite } from "@/tests/e2e/site.ts";
import { hangUp, openSocket } from "@/tests/edge_site.ts";
import { until } from "@/tests/until.ts";

/** A core behind TLS that says whose a token is, and one event to every edge; `asked` are the calls that reached it. */
function serveTls() {
  const asked: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", cert: CERTIFICATE, key: KEY, onListen() {} },
    (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      if (pathname === EDGE_CALLS.tokens) return Response.json({ owner_list: [{ uid: 1, sid: "s" }] });
      if (pathname !== EDGE_CALLS.events) return Response.json({});
      const { socket, response } = Deno.upgradeWebSocket(request);
      const event = { event: "study_update", pid: 7, uid: 1 };
      // the edge's browser is there a moment after the edge
      const telling = setInterval(() => socket.send(JSON.stringify({ event, audience: {} })), 50);
      socket.onclose = () => clearInterval(telling);
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

Deno.test("CoreHttp sends nothing to a core whose certificate is not trusted, or is another machine's", async () => {
  await using core = serveTls();
  const call = async (url: string, ca?: string) => {
    const http = new CoreHttp(url, undefined, ca);
    try {
      const headers = { authorization: "Bearer secret" };
      const answer = await http.fetch(new Request("http://core/api/v1/user", { headers }));
      await answer.body?.cancel();
      return answer.status;
    } finally {
      http.close();
    }
  };
  await assert.rejects(call(core.url), NoAnswer);
  await assert.rejects(call(`https://localhost:${core.port}`, CERTIFICATE), NoAnswer);
  assert.deepEqual(core.asked, []);
  assert.equal(await call(core.url, CERTIFICATE), 200);
});

Deno.test("an edge hears its core through TLS with the certificates of DENO_CERT", async () => {
  await using core = serveTls();
  const folder = await Deno.makeTempDir({ prefix: "sulcus-tls-" });
  try {
    await Deno.writeTextFile(`${folder}/ca.pem`, CERTIFICATE);
    await using edge = await startSite({
      env: {
        SULCUS_CORE_URL: core.url,
        SULCUS_CORE_KEY: "a-key-that-nobody-guesses-0123456789",
        DENO_CERT: `${folder}/ca.pem`,
      },
    });
    const heard = openSocket(`${edge.url}/api/v1/ws?token=t`);
    await heard.opened;
    await until(() => heard.events.length > 0);
    assert.equal(heard.events[0]!.pid, 7);
    await hangUp(heard);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
