// covers: S-114
import assert from "node:assert/strict";
import { connect, type ConnectionOptions } from "node:tls";
import { X509Certificate } from "node:crypto";
import { serveHttp } from "@/server/edge/web/http_server.ts";
import { readTlsPair, watchTlsPair } from "@/server/edge/web/tls/tls_files.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import {
  OTHER_CERTIFICATE,
  OTHER_KEY,
} from "@/server/edge/web/tls/tls_other_certificate_fixture.ts";
import { startSite } from "@/tests/e2e/site.ts";
import { hangUp, openSocket } from "@/tests/sites/edge_site.ts";
import { until } from "@/tests/sites/until.ts";

const digest = (pem: string) => new X509Certificate(pem).fingerprint256;

/** Shakes hands. @returns the certificate that was shown, and the version. */
const greet = (port: number, options: ConnectionOptions = {}) =>
  new Promise<{ shown: string; version: string }>((resolve, reject) => {
    const socket = connect({
      port,
      host: "127.0.0.1",
      ca: [CERTIFICATE, OTHER_CERTIFICATE],
      ...options,
    });
    socket.on("secureConnect", () => {
      const shown = socket.getPeerCertificate().fingerprint256;
      resolve({ shown, version: socket.getProtocol() ?? "" });
      socket.destroy();
    }).on("error", reject);
  });

/** A folder with a certificate and its key. */
async function pairIn(cert: string, key: string) {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-tls-" });
  const files = { cert: `${folder}/cert.pem`, key: `${folder}/key.pem` };
  await Deno.writeTextFile(files.cert, cert);
  await Deno.writeTextFile(files.key, key);
  return { ...files, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

Deno.test("readTlsPair() says in one line which file cannot be used, and why", async () => {
  await using good = await pairIn(CERTIFICATE, KEY);
  assert.deepEqual(readTlsPair(good), { cert: CERTIFICATE, key: KEY });
  const later = Date.now() + 200 * 365 * 86_400_000;
  assert.throws(
    () => readTlsPair(good, later),
    /^Error: Cannot use the certificate .*: it was valid until/,
  );
  for (
    const [cert, key, message] of [
      [
        CERTIFICATE,
        OTHER_KEY,
        /^Cannot use the key \S+: it does not belong to the certificate \S+$/,
      ],
      ["nothing", KEY, /^Cannot use the certificate \S+: .+$/],
      [CERTIFICATE, "nothing", /^Cannot use the key \S+: .+$/],
    ] as const
  ) {
    await using wrong = await pairIn(cert, key);
    assert.throws(() => readTlsPair(wrong), { message });
  }
  assert.throws(() => readTlsPair({ ...good, key: `${good.key}.none` }), {
    message: /^Cannot use the key .*none: No such file/,
  });
});

Deno.test("a renewed certificate is shown to new connections, and those that are there go on", async () => {
  await using files = await pairIn(CERTIFICATE, KEY);
  const first = readTlsPair(files), log: string[] = [];
  const server = await serveHttp(
    { port: 0, hostname: "127.0.0.1", tls: first },
    ({ url }) => Response.json(url),
  );
  const end = watchTlsPair(
    files,
    first,
    (level, text) => log.push(`${level} ${text}`),
    server.renew,
    20,
  );
  const { port } = server.addr;
  try {
    assert.equal((await greet(port)).shown, digest(CERTIFICATE));
    const old = connect({ port, host: "127.0.0.1", ca: [CERTIFICATE] });
    let heard = "";
    old.on("data", (part) => heard += part.toString());
    await new Promise((resolve) => old.once("secureConnect", resolve));
    // in the middle of a renewal one of the two is the old one still
    await Deno.writeTextFile(files.cert, OTHER_CERTIFICATE);
    await until(() => log.includes("warn Going on with the certificate before"));
    assert.equal((await greet(port)).shown, digest(CERTIFICATE));
    await Deno.writeTextFile(files.key, OTHER_KEY);
    await until(() => log.includes("info Renewed the certificate"));
    assert.equal((await greet(port)).shown, digest(OTHER_CERTIFICATE));
    old.write("GET /x HTTP/1.1\r\nhost: site\r\n\r\n");
    await until(() => heard.includes('"https://site/x"'));
    old.destroy();
  } finally {
    end();
    await server.shutdown();
  }
});

Deno.test("TLS is 1.2 or newer, and who speaks none of it gets no answer", async () => {
  const tls = { cert: CERTIFICATE, key: KEY };
  const server = await serveHttp({ port: 0, hostname: "127.0.0.1", tls }, () => new Response("x"));
  const { port } = server.addr;
  try {
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      assert.equal(
        (await greet(port, { minVersion: version, maxVersion: version })).version,
        version,
      );
    }
    await assert.rejects(greet(port, { minVersion: "TLSv1.1", maxVersion: "TLSv1.1" }));
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text()));
    assert.equal((await greet(port)).version, "TLSv1.3");
  } finally {
    await server.shutdown();
  }
});

Deno.test("a site with a certificate of its own signs people in, opens sockets, and asks for HTTPS from then on", async () => {
  await using files = await pairIn(CERTIFICATE, KEY);
  const key = "a-key-that-nobody-guesses-0123456789";
  const env = { SULCUS_TLS_CERT: files.cert, SULCUS_TLS_KEY: files.key };
  await using site = await startSite({ command: "start", env: { ...env, SULCUS_CORE_KEY: key } });
  const url = site.url.replace("localhost", "127.0.0.1"),
    client = Deno.createHttpClient({ caCerts: [CERTIFICATE] });
  await using edge = await startSite({
    command: "start",
    env: { ...env, SULCUS_CORE_URL: url, SULCUS_CORE_KEY: key, DENO_CERT: files.cert },
  });
  for (const origin of [url, edge.url.replace("localhost", "127.0.0.1")]) {
    const signedIn = await fetch(`${origin}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ email: "physician@hospital.test", password: "correct-horse-7" }),
      client,
    });
    assert.equal(signedIn.status, 204);
    assert.equal(signedIn.headers.get("strict-transport-security"), "max-age=31536000");
    const cookies = signedIn.headers.getSetCookie();
    assert.ok(
      cookies.every((each) => each.startsWith("__Host-") && each.includes("Secure")),
      String(cookies),
    );
    const cookie = cookies.map((each) => each.split(";")[0]).join("; ");
    const heard = openSocket(`${origin}/api/v1/ws`, { cookie, origin }, client);
    await heard.opened;
    const changed = await fetch(`${origin}/api/v1/settings`, { headers: { cookie }, client });
    const settings = await changed.json();
    settings.individual.general.auto_analyze = !settings.individual.general.auto_analyze;
    const saved = await fetch(`${origin}/api/v1/settings`, {
      method: "PUT",
      headers: { cookie, origin, "content-type": "application/json" },
      body: JSON.stringify(settings),
      client,
    });
    assert.equal(saved.status, 200, await saved.text());
    await until(() => heard.events.some(({ event }) => event === "setting_update"));
    await hangUp(heard);
  }
  client.close();
  // a wrong pair: one line, and no other try
  await Deno.writeTextFile(files.key, OTHER_KEY);
  const wrong = await startSite({ command: "start", env }).then(
    () => "",
    (error: Error) => error.message,
  );
  assert.match(
    wrong,
    /ended with 1 before it served: Cannot use the key \S+: it does not belong to the certificate \S+\n$/,
  );
});
