// covers: S-201
import assert from "node:assert/strict";
import { checkSignIn } from "@/server/commands/doctor/sign_in.ts";
import { readEnvironment } from "@/server/commands/start/environment.ts";
import type { LdapSettings } from "@/server/core/accounts/service/identity_settings.ts";
import { CERTIFICATE } from "@/server/edge/web/tls/tls_certificate_fixture.ts";
import { hasSlapd, servedDirectory } from "@/tests/sites/sign_in/directory.ts";

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

Deno.test({
  name: "checkSignIn() binds as the directory's search account, and says why it cannot" +
    (hasSlapd ? "" : " (skipped: no /usr/sbin/slapd)"),
  ignore: !hasSlapd,
  async fn() {
    await using directory = await servedDirectory();
    const check = async (change: Partial<LdapSettings>) => {
      const ldap = { ...directory.settings, ...change };
      const [finding, ...more] = await checkSignIn({ ...identityOf({}), ldap });
      assert.equal(more.length, 0);
      assert.ok(finding!.text.startsWith(ldap.url), finding!.text);
      return finding!;
    };
    const { tlsUrl } = directory, secure = { url: tlsUrl, startTls: false };
    for (const change of [{}, { ...secure, ca: CERTIFICATE }, { bindDn: null }]) {
      const { state, text } = await check(change);
      assert.equal(state, "good", text);
    }
    const { url } = directory.settings, closed = "ldap://127.0.0.1:1";
    const wrong: Partial<LdapSettings>[] = [
      { bindPassword: "wrong" },
      { bindDn: "cn=nobody,dc=hospital,dc=example" },
      { base: "dc=elsewhere" },
      { ...secure, ca: null },
      { url: closed },
      { url: url.replace("ldap:", "ldaps:") },
    ];
    for (const change of wrong) {
      const { state, text, advice } = await check(change);
      assert.equal(state, "bad", JSON.stringify([change, text]));
      assert.match(advice!, /SULCUS_LDAP_CA.*SULCUS_LDAP_BASE/);
      assert.ok(!text.includes("wrong"), text);
    }
  },
});
