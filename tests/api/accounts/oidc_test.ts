// covers: S-109
import assert from "node:assert/strict";
import { getUser } from "@/client/api/accounts/user.ts";
import { callJson } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { getAudit } from "@/client/api/site/audit.ts";
import {
  oidcCompleted,
  oidcStarted,
  signInMethods,
  signOutAddress,
} from "@/model/schema/accounts/auth.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { sealFlow, unsealFlow } from "@/server/core/accounts/service/sealed_secret.ts";
import { addUser, linkUser } from "@/server/core/accounts/service/users.ts";
import { openSite } from "@/server/core/mod.ts";
import { setAuditFolder } from "@/server/core/site/service/audit/audit_key.ts";
import { EMAIL, openBeside, PASSWORD, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { CLIENT_SECRET, servedHospital } from "@/tests/sites/sign_in/hospital_provider.ts";
import { servedProvider } from "@/tests/sites/sign_in/openid_provider.ts";

const SECRET = "a-secret-of-the-client-0123456789";

/** A core with the hospital's OpenID provider, and a simulated browser for both. */
async function withProvider(
  body: (test: TestCore & Awaited<ReturnType<typeof steps>>) => Promise<void>,
): Promise<void> {
  await using provider = await servedProvider(SECRET);
  const identity = { oidc: provider.settings, ldap: null, secondFactor: "optional" as const };
  await withCore(async (test) => await body({ ...test, ...await steps(test, provider) }), {
    identity,
  });
}

function steps({ open, dataDir }: TestCore, provider: Awaited<ReturnType<typeof servedProvider>>) {
  const begin = () =>
    callJson(open, oidcStarted, "/api/v1/auth/oidc", {
      method: "POST",
      json: { next: "/viewer/1" },
    });
  const complete = (flow: string, query: URLSearchParams | string) =>
    callJson(open, oidcCompleted, "/api/v1/auth/oidc/completion", {
      method: "POST",
      json: { flow, query: String(query) },
    });
  const accounts = async () => {
    const db = await openBeside(dataDir);
    const { length } = await db.selectFrom("users").selectAll().execute().finally(() =>
      db.destroy()
    );
    const other = await openBeside(dataDir);
    const sessions = await other.selectFrom("sessions").selectAll().execute().finally(() =>
      other.destroy()
    );
    return [length, sessions.length];
  };
  return Promise.resolve({
    provider,
    begin,
    complete,
    accounts,
    signIn: async () => {
      const { url, flow } = await begin();
      return await complete(flow, provider.visit(url));
    },
  });
}

Deno.test("somebody of the hospital's provider signs in, and out there too", () =>
  withProvider(async ({ open, provider, signIn, begin, events }) => {
    assert.deepEqual(await callJson(open, signInMethods, "/api/v1/auth/methods"), {
      provider: "Hospital",
      directory: false,
    });
    const { url } = await begin(), { searchParams } = new URL(url);
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    assert.equal(
      searchParams.get("redirect_uri"),
      `${provider.settings.publicUrl}/sign-in/callback`,
    );
    for (const name of ["state", "nonce", "code_challenge"]) {
      assert.ok(searchParams.get(name)!.length >= 43, name);
    }

    const first = await signIn(), kim = { ...open, token: first.access_token };
    assert.equal(first.next, "/viewer/1");
    assert.deepEqual(await getUser(kim), {
      user_id: 2,
      permission_list: [],
      role: "physician",
      email: "dr.kim@hospital.example",
      name: "김 Kim",
      source: "oidc",
    });
    // the second sign-in ends the first session; the role follows the groups
    provider.says({ claims: { groups: ["neuro", "IT"], name: "Kim" } });
    const second = await signIn();
    await assert.rejects(getUser(kim), { code: "token.revoked" });
    assert.ok(events.some(({ event }) => event.event === "auth_multi_login" && event.uid === 2));
    const again = { ...open, token: second.access_token };
    assert.deepEqual([(await getUser(again)).role, (await getUser(again)).user_id], [
      "administrator",
      2,
    ]);
    const out = new URL((await callJson(again, signOutAddress, "/api/v1/auth/sign-out")).url!);
    assert.equal(out.origin + out.pathname, `${provider.issuer}/out`);
    assert.ok(out.searchParams.get("id_token_hint"));
    assert.equal(
      out.searchParams.get("post_logout_redirect_uri"),
      `${provider.settings.publicUrl}/login`,
    );
    // the account has no password at the site, and local accounts still work
    for (const password of ["", "none", PASSWORD]) {
      await assert.rejects(login(open, { email: "dr.kim@hospital.example", password }), {
        code: "auth.invalid",
      });
    }
    assert.ok(await login(open, { email: EMAIL, password: PASSWORD }));
    assert.ok(
      (await getAudit({ ...open, token: second.access_token }, { event: "auth.login", user: 2 }))
        .total >= 2,
    );
  }));

Deno.test("what an attacker brings from a provider is refused with its reason, and nothing is made of it", () =>
  withProvider(async ({ dataDir, provider, begin, complete, accounts, signIn }) => {
    const before = await accounts();
    const refusals: [string, string, () => Promise<unknown>][] = [];
    const add = (name: string, code: string, run: () => Promise<unknown>) =>
      refusals.push([name, code, run]);
    const says = (name: string, code: string, answer: Parameters<typeof provider.says>[0]) =>
      add(name, code, async () => {
        provider.says(answer);
        await signIn();
      });
    const REFUSED = "auth.provider_refused", other = crypto.randomUUID();
    says("wrong nonce", REFUSED, { claims: { nonce: other } });
    says("no nonce", REFUSED, { claims: { nonce: undefined } });
    says("expired", REFUSED, { expiresIn: -600 });
    says("another issuer", REFUSED, { claims: { iss: "https://elsewhere.example" } });
    says("another audience", REFUSED, { claims: { aud: "another-client" } });
    says("another client among several", REFUSED, { claims: { aud: ["another-client", "third"] } });
    says("no signature (alg none)", REFUSED, { signature: "none" });
    says("signed with the client's secret", REFUSED, { signature: "secret" });
    says("signed with another key", REFUSED, { signature: "foreign" });
    says("no subject", REFUSED, { claims: { sub: undefined } });
    says("no group", "auth.no_role", { claims: { groups: undefined } });
    says("another group", "auth.no_role", { claims: { groups: ["kitchen"] } });
    says("groups that are none", "auth.no_role", { claims: { groups: { neuro: true } } });
    says("no address", "auth.no_email", { claims: { email: undefined } });
    says("an address that is not confirmed", "auth.no_email", {
      claims: { email_verified: false },
    });
    // some providers send the claim as text
    for (const said of ["false", "no", null, 0, []]) {
      says(`an address that is ${JSON.stringify(said)}`, "auth.no_email", {
        claims: { email_verified: said },
      });
    }
    says("an address that is none", "auth.no_email", { claims: { email: "kim" } });
    says("the address of an account of the site", "auth.account_exists", {
      claims: { email: EMAIL },
    });
    const fine = () => provider.says({});
    add("wrong state", REFUSED, async () => {
      fine();
      const { url, flow } = await begin(), query = provider.visit(url);
      query.set("state", other);
      await complete(flow, query);
    });
    add("no state", REFUSED, async () => {
      const { url, flow } = await begin(), query = provider.visit(url);
      query.delete("state");
      await complete(flow, query);
    });
    add("another browser's flow", REFUSED, async () => {
      const mine = await begin(), theirs = await begin();
      await complete(theirs.flow, provider.visit(mine.url));
    });
    add("no flow", REFUSED, async () => await complete("", provider.visit((await begin()).url)));
    add("a made-up code", REFUSED, async () => {
      const { url, flow } = await begin(), query = provider.visit(url);
      query.set("code", other);
      await complete(flow, query);
    });
    add("the person said no", REFUSED, async () => {
      const { url, flow } = await begin(), state = new URL(url).searchParams.get("state")!;
      await complete(
        flow,
        new URLSearchParams({ error: "access_denied", state, iss: provider.issuer }),
      );
    });
    for (const [name, code, run] of refusals) {
      await assert.rejects(run(), { code }, `${name} is not refused so`);
    }
    assert.deepEqual(await accounts(), before);

    fine();
    const { url, flow } = await begin(), query = provider.visit(url);
    assert.ok((await complete(flow, query)).access_token);
    const after = await accounts();
    await assert.rejects(complete(flow, query), { code: REFUSED }, "a flow that was used");
    const next = await begin();
    query.set("state", new URL(next.url).searchParams.get("state")!);
    await assert.rejects(complete(next.flow, query), { code: REFUSED }, "a code that was used");
    assert.deepEqual(await accounts(), after);
    // accounts from the provider are refused for the same reasons as local accounts
    const db = await openBeside(dataDir);
    for (
      const [state, code] of [["suspended", "auth.suspended"], [
        "waiting",
        "auth.waiting_approval",
      ]] as const
    ) {
      await db.updateTable("users").set({ state }).where("id", "=", 2).execute();
      await assert.rejects(signIn(), { code });
    }
    await db.updateTable("users").set({ state: "active", removed_at: "2026-01-01" }).where(
      "id",
      "=",
      2,
    )
      .execute();
    await assert.rejects(signIn(), { code: "auth.not_found" });
    await db.updateTable("users").set({ removed_at: null }).where("id", "=", 2).execute();
    await db.insertInto("allowed_networks").values({
      network: "10.9.0.0/16",
      note: null,
      created_at: "2026",
    })
      .execute();
    await assert.rejects(signIn(), { code: "auth.ip_denied" });
    await db.destroy();
    await provider[Symbol.asyncDispose]();
    await assert.rejects(signIn(), { code: "auth.provider_unreachable" });
  }));

/** Signs in with an account assigned to the provider. @param said Value of `email_verified`. */
async function linked(trustsEmail: boolean, said: unknown): Promise<string | number> {
  await using provider = await servedProvider(SECRET);
  const oidc = { ...provider.settings, trustsEmail };
  let outcome: string | number = "";
  await withCore(async (test) => {
    const { signIn } = await steps(test, provider), db = await openBeside(test.dataDir);
    const { id } = await addUser(db, { email: "chief@hospital.example", role: "administrator" });
    await linkUser(db, "chief@hospital.example", "oidc");
    const claims = { sub: "u7", email: "chief@hospital.example", email_verified: said };
    provider.says({ claims });
    outcome = await signIn().then(
      async ({ access_token }) =>
        (await getUser({ ...test.open, token: access_token })).user_id - id,
      ({ code }) => code,
    );
    const [{ subject }] = await db.selectFrom("users").select("subject").where("id", "=", id)
      .execute() as [{ subject: string | null }];
    await db.destroy();
    assert.equal(subject, outcome === 0 ? `${provider.issuer} u7` : null);
  }, { identity: { oidc, ldap: null, secondFactor: "optional" as const } });
  return outcome;
}

Deno.test("an account that was handed to the provider is given to a confirmed address only", async () => {
  for (const said of [true, "true"]) assert.equal(await linked(false, said), 0, String(said));
  // unconfirmed addresses are refused, because users of the provider can enter any address
  for (const said of [undefined, false, "false"]) {
    assert.equal(await linked(false, said), "auth.no_email", String(said));
  }
  assert.equal(await linked(true, undefined), 0);
  assert.equal(await linked(true, false), "auth.no_email");
});

Deno.test("without the claim a new person gets an account, and signs in to it again", () =>
  withProvider(async ({ provider, signIn, open }) => {
    provider.says({ claims: { email_verified: undefined } });
    for (let time = 0; time < 2; time++) {
      const { access_token } = await signIn();
      assert.equal((await getUser({ ...open, token: access_token })).user_id, 2);
    }
  }));

Deno.test("sign-ins that anybody begins are kept by their browsers alone, and only what the site sealed counts", () =>
  withProvider(async ({ dataDir, provider, begin, complete }) => {
    const sizeOf = async () => {
      const db = await openBeside(dataDir);
      const tables = await db.introspection.getTables();
      const counts = await Promise.all(
        tables.map(({ name }) =>
          db.selectFrom(name as "users").select((e) => e.fn.countAll<number>().as("n"))
            .executeTakeFirstOrThrow()
        ),
      );
      await db.destroy();
      return counts.reduce((sum, { n }) => sum + Number(n), 0);
    };
    const before = await sizeOf();
    for (let n = 0; n < 200; n++) await begin();
    assert.equal(await sizeOf(), before);
    const { url, flow } = await begin(), query = provider.visit(url);
    assert.ok(flow.length < 4000 && !flow.includes(new URL(url).searchParams.get("state")!));
    const bytes = Buffer.from(flow.slice(7), "base64url");
    const random = new Random(1);
    for (let n = 0; n < 50; n++) {
      const damaged = Buffer.from(bytes), at = Math.floor(damaged.length * random.uniform());
      damaged[at]! ^= 1 << Math.floor(8 * random.uniform());
      const forged = `sealed.${
        damaged.subarray(0, n % 5 === 0 ? at : undefined).toString("base64url")
      }`;
      await assert.rejects(complete(forged, query), { code: "auth.provider_refused" });
    }
    const plain = JSON.stringify({
      flow: { verifier: "v", state: query.get("state"), nonce: "n", next: "/" },
    });
    for (const forged of ["", "sealed.", plain, `sealed.${btoa(plain)}`]) {
      await assert.rejects(complete(forged, query), { code: "auth.provider_refused" });
    }
    assert.equal((await complete(flow, query)).next, "/viewer/1");
  }));

Deno.test("a sign-in at the provider ends after ten minutes, and on every server of the site", async () => {
  const folder = await Deno.makeTempDir(), nowMs = 1_000_000;
  const [first, second, other] = await Promise.all(
    [0, 1, 2].map(() => openSite({ dataDir: null })),
  );
  setAuditFolder(first!, folder);
  setAuditFolder(second!, folder);
  const sealed = await sealFlow(first!, { state: "s" }, nowMs);
  assert.deepEqual(await unsealFlow(second!, sealed, nowMs - 1), { state: "s" });
  assert.equal(await unsealFlow(second!, sealed, nowMs), null);
  assert.equal(await unsealFlow(other!, sealed, nowMs - 1), null);
  // without a folder, each process has its own key
  const alone = await sealFlow(other!, { state: "t" }, nowMs);
  assert.deepEqual(await unsealFlow(other!, alone, nowMs - 1), { state: "t" });
  assert.equal(await unsealFlow(first!, alone, nowMs - 1), null);
  for (const db of [first, second, other]) await db!.destroy();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a real provider's person who loses the group is out with the next call, and without a token after a while", async () => {
  const groups = ["neuro"], SITE = "http://127.0.0.1:9";
  for (const isRenewing of [true, false]) {
    groups.splice(0, 9, "neuro");
    await using provider = await servedHospital(SITE, groups, isRenewing);
    const recheck = { everyMs: 0, uncheckedMs: 3_600_000 };
    const oidc = {
      name: "Hospital",
      issuer: provider.issuer,
      clientId: "sulcus",
      clientSecret: CLIENT_SECRET,
      scope: "openid profile email",
      groupsClaim: "groups",
      trustsEmail: false,
      roles: [{ group: "it", role: "administrator" as const }, {
        group: "neuro",
        role: "physician" as const,
      }],
      publicUrl: SITE,
    };
    await withCore(async ({ open, dataDir }) => {
      const { url, flow } = await callJson(open, oidcStarted, "/api/v1/auth/oidc", {
        method: "POST",
        json: { next: "/" },
      });
      const { access_token } = await callJson(open, oidcCompleted, "/api/v1/auth/oidc/completion", {
        method: "POST",
        json: { flow, query: await provider.visit(url, "park") },
      });
      const park = { ...open, token: access_token },
        roleNow = async () => (await getUser(park)).role;
      assert.deepEqual([await roleNow(), await roleNow()], ["physician", "physician"]);
      const db = await openBeside(dataDir);
      const [{ provider_ref }] = await db.selectFrom("sessions").select("provider_ref")
        .where("id_token", "is not", null).execute().finally(() => db.destroy()) as [
          { provider_ref: string },
        ];
      assert.equal(provider_ref?.startsWith("sealed.") ?? false, isRenewing);
      groups.unshift("it");
      assert.equal(await roleNow(), isRenewing ? "administrator" : "physician");
      groups.length = 0;
      if (!isRenewing) {
        assert.equal(await roleNow(), "physician");
        recheck.uncheckedMs = 0;
      }
      await assert.rejects(roleNow(), { code: "token.revoked" });
    }, { identity: { oidc, ldap: null, secondFactor: "optional", recheck } });
  }
});
