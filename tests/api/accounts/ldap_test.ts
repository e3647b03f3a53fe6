// covers: S-109
import assert from "node:assert/strict";
import { login, refresh } from "@/client/api/accounts/auth.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import type {
  LdapSettings,
  RecheckRule,
} from "@/server/core/accounts/service/identity_settings.ts";
import { EMAIL, openBeside, PASSWORD, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { GHOST, hasSlapd, KIM, LEE, servedDirectory } from "@/tests/sites/sign_in/directory.ts";

const withDirectory = (
  ldap: LdapSettings,
  body: (test: TestCore) => Promise<void>,
  recheck?: RecheckRule,
) =>
  withCore(body, {
    identity: { oidc: null, ldap, secondFactor: "optional", ...(recheck ? { recheck } : {}) },
  });

const name = "somebody of the hospital's directory signs in" +
  (hasSlapd ? "" : " (skipped: no /usr/sbin/slapd)");

Deno.test({
  name,
  ignore: !hasSlapd,
  fn: async (t) => {
    await using directory = await servedDirectory();
    const { settings, tlsUrl } = directory;
    const isIn = async ({ open }: TestCore, email: string, password: string) => {
      const { access_token } = await login(open, { email, password });
      return await getUser({ ...open, token: access_token });
    };

    await t.step(
      "found by a search, with the role of a group",
      () =>
        withDirectory(settings, async (test) => {
          const { open, dataDir } = test;
          const kim = await isIn(test, KIM.email, KIM.password);
          assert.deepEqual([kim.role, kim.name, kim.source, kim.user_id], [
            "physician",
            "Dr kim",
            "ldap",
            2,
          ]);
          // the same person with user name and e-mail; the second sign-in ends the first session
          const first = await login(open, { email: "kim", password: KIM.password });
          const second = await login(open, { email: KIM.email, password: KIM.password });
          assert.equal((await getUser({ ...open, token: second.access_token })).user_id, 2);
          await assert.rejects(getUser({ ...open, token: first.access_token }), {
            code: "token.revoked",
          });
          // local accounts still work
          assert.equal((await isIn(test, EMAIL, PASSWORD)).role, "administrator");

          const refused = async (email: string, password: string, code: string) =>
            await assert.rejects(
              login(open, { email, password }),
              { code },
              `${email} ${password}`,
            );
          await refused(KIM.email, "wrong-password-1", "auth.invalid");
          await refused(KIM.email, "", "auth.invalid");
          // user names that would be an LDAP filter or a distinguished name
          for (
            const login of ["*", "k*", "kim)(uid=*", "kim\\2a", "kim,ou=people", "\0kim", "(kim)"]
          ) {
            await refused(login, KIM.password, "auth.invalid");
          }
          await refused(LEE.email, LEE.password, "auth.no_role");
          await refused("ghost", GHOST.password, "auth.no_email");
          const db = await openBeside(dataDir);
          assert.equal((await db.selectFrom("users").selectAll().execute()).length, 2);
          // accounts from the directory are refused for the same reasons as local accounts
          await db.updateTable("users").set({ state: "suspended" }).where("id", "=", 2).execute();
          await db.deleteFrom("sign_in_failures").execute();
          await refused(KIM.email, KIM.password, "auth.suspended");
          // the directory does not take over a local account with the same address
          await db.updateTable("users").set({ state: "active", source: "local", subject: null })
            .where(
              "id",
              "=",
              2,
            )
            .execute();
          await refused(KIM.email, KIM.password, "auth.invalid");
          await refused("kim", KIM.password, "auth.account_exists");
          // an administrator assigns the account to the directory
          await db.updateTable("users").set({ source: "ldap" }).where("id", "=", 2).execute();
          await db.deleteFrom("sign_in_failures").execute();
          assert.equal((await isIn(test, KIM.email, KIM.password)).user_id, 2);
          await db.destroy();
        }),
    );

    await t.step("bound by the own name, without an account that searches", () =>
      withDirectory({
        ...settings,
        bindDn: null,
        bindPassword: null,
        userDn: "uid={login},ou=people,dc=hospital,dc=example",
      }, async (test) => {
        assert.equal((await isIn(test, "kim", KIM.password)).email, KIM.email);
        await assert.rejects(login(test.open, { email: "kim", password: "wrong" }), {
          code: "auth.invalid",
        });
        await assert.rejects(login(test.open, { email: "kim,ou=x", password: "w" }), {
          code: "auth.invalid",
        });
      }));

    await t.step(
      "whom a group loses is out with the next call, and a role follows its groups",
      async () => {
        const roles = [{ group: "chiefs", role: "administrator" as const }, ...settings.roles];
        await withDirectory({ ...settings, roles }, async ({ open, dataDir }) => {
          const { access_token, refresh_token } = await login(open, {
            email: KIM.email,
            password: KIM.password,
          });
          const kim = { ...open, token: access_token },
            local = await login(open, { email: EMAIL, password: PASSWORD });
          assert.equal((await getUser(kim)).role, "physician");
          await directory.addGroup("chiefs", KIM.dn);
          assert.equal((await getUser(kim)).role, "administrator");
          await directory.removeMember("chiefs", KIM.dn);
          assert.equal((await getUser(kim)).role, "physician");
          await directory.removeMember("neuro", KIM.dn);
          await assert.rejects(getUser(kim), { code: "token.revoked" });
          await assert.rejects(refresh(open, refresh_token), { code: "token.revoked" });
          await assert.rejects(login(open, { email: KIM.email, password: KIM.password }), {
            code: "auth.no_role",
          });
          // sessions of local accounts continue
          assert.equal((await getUser({ ...open, token: local.access_token })).email, EMAIL);
          const db = await openBeside(dataDir);
          const ended = await db.selectFrom("audit").select("outcome").where(
            "event",
            "=",
            "auth.recheck",
          )
            .execute();
          assert.deepEqual(ended, [{ outcome: "auth.no_role" }]);
          await db.destroy();
          await directory.addMember("neuro", KIM.dn);
        }, { everyMs: 0, uncheckedMs: 3_600_000 });
      },
    );

    await t.step("over TLS, of a trusted certificate alone", async () => {
      for (const over of [{ url: tlsUrl }, { startTls: true }]) {
        await withDirectory({ ...settings, ...over }, async (test) => {
          assert.equal((await isIn(test, KIM.email, KIM.password)).email, KIM.email);
        });
        await withDirectory({ ...settings, ...over, ca: null }, async ({ open }) => {
          const unknown = { code: "auth.provider_unreachable" };
          await assert.rejects(login(open, { email: KIM.email, password: KIM.password }), unknown);
        });
      }
    });

    await t.step(
      "a directory that is away, or does not take the searching account, locks nobody of the site out",
      async () => {
        const unreachable = { code: "auth.provider_unreachable" };
        await withDirectory({ ...settings, bindPassword: "wrong" }, async ({ open }) => {
          await assert.rejects(
            login(open, { email: KIM.email, password: KIM.password }),
            unreachable,
          );
        });
        // a session continues for `uncheckedMs` without the directory, then it ends
        const rule = { everyMs: 0, uncheckedMs: 3_600_000 };
        await withDirectory(settings, async (test) => {
          const { access_token } = await login(test.open, {
            email: KIM.email,
            password: KIM.password,
          });
          await directory.stop();
          const kim = { ...test.open, token: access_token };
          assert.equal((await getUser(kim)).email, KIM.email);
          rule.uncheckedMs = 0;
          await assert.rejects(getUser(kim), { code: "token.revoked" });
        }, rule);
        await withDirectory(settings, async (test) => {
          await assert.rejects(
            login(test.open, { email: KIM.email, password: KIM.password }),
            unreachable,
          );
          assert.equal((await isIn(test, EMAIL, PASSWORD)).email, EMAIL);
        });
      },
    );
  },
});
