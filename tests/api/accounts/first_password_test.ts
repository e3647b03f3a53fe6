// covers: S-106
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { login } from "@/client/api/accounts/auth.ts";
import { call } from "@/client/api/http.ts";
import { changePassword } from "@/client/api/site/license.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import { addUser, resetPassword } from "@/server/core/accounts/service/users.ts";
import { EMAIL, startSite } from "@/tests/e2e/site.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { until } from "@/tests/sites/until.ts";

coreTest(
  "a password that the site has made opens nothing but its own change",
  async ({ open, dataDir }) => {
    const db = await openBeside(dataDir), email = "new@hospital.test";
    const { password } = await addUser(db, { email });
    const signIn = async (password: string) => ({
      ...open,
      token: (await login(open, { email, password })).access_token,
    });
    const api = await signIn(password!);
    assert.equal((await getUser(api)).must_change_password, true);
    for (
      const path of [
        "/api/v1/patients",
        "/api/v1/settings",
        "/vuuc/api/auth/token",
        "/api/v1/auth/ws-ticket",
      ]
    ) {
      const method = path.endsWith("ticket") ? "POST" as const : "GET" as const;
      await assert.rejects(call(api, path, { method }), { code: "password.must_change" }, path);
    }
    // the file contains the first administrator's password, so another account does not remove it
    await Deno.writeTextFile(`${dataDir}/first-password`, "another-1-password\n");
    await changePassword(api, { current_password: password!, new_password: "my-own-1-password" });
    assert.ok(existsSync(`${dataDir}/first-password`));
    assert.equal((await getUser(api)).must_change_password, undefined);
    assert.equal((await listPatients(api, {})).total, 0);
    // a password reset by the operator must be changed as well
    const reset = await signIn((await resetPassword(db, email))!);
    await assert.rejects(listPatients(reset, {}), { code: "password.must_change" });
    await db.destroy();
  },
);

Deno.test("under systemd the first administrator's password stands in a file of its account, not in the journal, until it is changed", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-first-" }), dataDir = `${folder}/data`;
  try {
    for (const journal of ["", "8:1"]) {
      const site = await startSite({
        dataDir: `${dataDir}${journal === "" ? "" : "-journal"}`,
        command: "start",
        env: { SULCUS_ADMIN_PASSWORD: "", ...(journal === "" ? {} : { JOURNAL_STREAM: journal }) },
      });
      try {
        await until(() => /administrator account has been created/.test(site.output()));
        await until(() => /first sign-in|only once/.test(site.output()));
        const path = `${site.dataDir}/first-password`, isFile = existsSync(path);
        assert.equal(isFile, journal !== "");
        const shown = /Password {3}(\S+) {2,}│/.exec(site.output())?.[1];
        const password = isFile ? (await Deno.readTextFile(path)).trim() : shown!;
        if (isFile) {
          assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
          assert.ok(!site.output().includes(password));
        }
        const api = { send: fetch, origin: site.url };
        const { access_token } = await login(api, { email: EMAIL, password });
        const own = { ...api, token: access_token };
        assert.equal((await getUser(own)).must_change_password, true);
        await changePassword(own, {
          current_password: password,
          new_password: "my-own-1-password",
        });
        assert.equal(existsSync(path), false);
      } finally {
        await site.stop();
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
