// covers: S-201
import assert from "node:assert/strict";
import { checkSignIn } from "@/server/commands/doctor/sign_in.ts";
import { readEnvironment } from "@/server/commands/start/environment.ts";

/** A provider's configuration page on a port of its own. @param says Issuer that it names. */
function openProvider(says?: string) {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname, origin } = new URL(request.url), issuer = says ?? origin;
    return pathname === "/.well-known/openid-configuration"
      ? Response.json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      })
      : new Response("none", { status: 404 });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function identityOf(variables: Record<string, string>) {
  const result = readEnvironment(variables, 1);
  assert.ok("environment" in result);
  return result.environment.identity;
}
const oidcOf = (issuer: string) =>
  identityOf({
    SULCUS_OIDC_ISSUER: issuer,
    SULCUS_PUBLIC_URL: "https://sulcus.hospital.test",
    SULCUS_OIDC_CLIENT_ID: "sulcus",
    SULCUS_OIDC_ROLES: "neuro=physician",
  });

Deno.test("checkSignIn() says that a provider answers, and why another cannot be used", async () => {
  assert.deepEqual(await checkSignIn(identityOf({})), []);
  await using provider = openProvider();
  assert.deepEqual((await checkSignIn(oidcOf(provider.url))).map(({ state }) => state), ["good"]);
  await using other = openProvider("https://other.hospital.test");
  const closed = Deno.listen({ port: 0, hostname: "127.0.0.1" }), { port } = closed.addr;
  closed.close();
  for (const issuer of [`${provider.url}/realms/none`, other.url, `http://127.0.0.1:${port}`]) {
    const [finding, ...more] = await checkSignIn(oidcOf(issuer));
    assert.deepEqual([finding!.state, more], ["bad", []]);
    assert.ok(finding!.text.startsWith(`${issuer}: `) && finding!.text.length > issuer.length + 10);
    assert.match(finding!.advice!, /SULCUS_OIDC_ISSUER.*DENO_CERT/);
  }
});

Deno.test("checkSignIn() calls the directory", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" }), { port } = listener.addr;
  const identity = identityOf({
    SULCUS_LDAP_URL: `ldap://127.0.0.1:${port}`,
    SULCUS_LDAP_BASE: "dc=hospital,dc=test",
    SULCUS_LDAP_ROLES: "neuro=physician",
  });
  const taken = listener.accept();
  assert.deepEqual((await checkSignIn(identity)).map(({ state }) => state), ["good"]);
  (await taken).close();
  listener.close();
  assert.deepEqual((await checkSignIn(identity)).map(({ state }) => state), ["bad"]);
});
