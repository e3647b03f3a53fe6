// Systems that show a certificate instead of a key, to a TLS proxy in front of the site.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { getConnections, savePeer } from "@/client/api/connections/connections.ts";
import { AppError } from "@/model/errors.ts";
import { CA, EXPIRED, FOREIGN, OWN } from "@/server/gate/tls_certificates_fixture.ts";
import { EMAILS, serveCore, serveEdge } from "@/tests/sites/edge_site.ts";
import { serveTlsProxy, TOLD } from "@/tests/sites/connections/tls_proxy.ts";

const CAPABILITY = "/api/v1/fhir/metadata";

/** What a client with a certificate, or none, is answered. */
async function statusOf(url: string, own: typeof OWN | null, headers: Record<string, string> = {}) {
  using client = Deno.createHttpClient({
    caCerts: [CA],
    ...own ? { cert: own.cert, key: own.key } : {},
  });
  const answer = await fetch(url, { client, headers });
  await answer.body?.cancel();
  return answer.status;
}

Deno.test("a system that an administrator has given a certificate reads with it, through a proxy that is named", async () => {
  await using site = await serveCore();
  await using edge = await serveEdge(site.url);
  const api = { send: fetch, origin: site.url, token: await edge.token(EMAILS[0]) };
  const viewer = { name: "Viewer", kind: "dicomweb" as const, config: { url: "http://viewer" } };
  const id = await savePeer(api, null, viewer);
  const withCertificate = (certificate: string) => ({
    ...viewer,
    config: { ...viewer.config, certificate },
  });
  for (const told of Object.keys(TOLD)) {
    await using proxy = await serveTlsProxy(site.url, told);
    assert.equal(await statusOf(proxy.url + CAPABILITY, OWN), 401, "nobody has named it yet");
    await savePeer(api, id, withCertificate(OWN.cert));
    assert.equal(await statusOf(proxy.url + CAPABILITY, OWN), 200);
    // as a system it reads, and nothing else
    assert.equal(await statusOf(`${proxy.url}/api/v1/patients`, OWN), 403);
    await savePeer(api, id, withCertificate(""));
  }
  const { fingerprint256, raw } = new X509Certificate(OWN.cert);
  await savePeer(api, id, withCertificate(`sha256 Fingerprint=${fingerprint256}`));
  const [peer] = (await getConnections(api)).peers;
  assert.equal(peer!.config.certificate, fingerprint256.replaceAll(":", "").toLowerCase());
  // one that lets anybody in, as nginx does with optional_no_ca: a certificate that ran out is nobody's
  await using lax = await serveTlsProxy(site.url, "nginx", false);
  assert.deepEqual([
    await statusOf(lax.url + CAPABILITY, OWN),
    await statusOf(lax.url + CAPABILITY, null),
  ], [
    200,
    401,
  ]);
  assert.equal(await statusOf(lax.url + CAPABILITY, FOREIGN), 401);
  const other = await savePeer(api, null, { ...withCertificate(EXPIRED.cert), name: "Old" });
  assert.equal(await statusOf(lax.url + CAPABILITY, EXPIRED), 401);
  // a header of a client itself: the edge is not told to believe anybody
  for (const headers of [TOLD.nginx!(raw), TOLD["RFC 9440"]!(raw)]) {
    assert.equal(await statusOf(edge.url + CAPABILITY, null, headers), 401);
  }
  const codeOf = (certificate: string) =>
    savePeer(api, other, { ...withCertificate(certificate), name: "Old" }).then(
      () => "saved",
      (error) => error instanceof AppError ? `${error.code} ${error.details.field}` : String(error),
    );
  assert.equal(await codeOf(OWN.cert), "input.invalid certificate", "one certificate, one system");
  assert.equal(await codeOf("somebody"), "input.invalid certificate");
});
