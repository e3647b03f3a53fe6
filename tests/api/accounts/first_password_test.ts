// covers: S-106
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { call } from "@/client/api/http.ts";
import { changePassword } from "@/client/api/site/license.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { getUser } from "@/client/api/accounts/user.ts";
import { addUser, resetPassword } from "@/core/services/accounts/users.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";

coreTest("a password that the site has made opens nothing but its own change", async ({ open, dataDir }) => {
  const db = await openBeside(dataDir), email = "new@hospital.test";
  const { password } = await addUser(db, { email });
  const signIn = async (password: string) => ({
    ...open,
    token: (await login(open, { email, password })).access_token,
  });
  const api = await signIn(password!);
  assert.equal((await getUser(api)).must_change_password, true);
  for (
    const path of ["/api/v1/patients", "/api/v1/settings", "/vuuc/api/auth/token", "/api/v1/auth/ws-ticket"]
  ) {
    const method = path.endsWith("ticket") ? "POST" as const : "GET" as const;
    await assert.rejects(call(api, path, { method }), { code: "password.must_change" }, path);
  }
  await changePassword(api, { current_password: password!, new_password: "my-own-1-password" });
  assert.equal((await getUser(api)).must_change_password, undefined);
  assert.equal((await listPatients(api, {})).total, 0);
  // one that the operator has made anew is no better
  const reset = await signIn((await resetPassword(db, email))!);
  await assert.rejects(listPatients(reset, {}), { code: "password.must_change" });
  await db.destroy();
});
