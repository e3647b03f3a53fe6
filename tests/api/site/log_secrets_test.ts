import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { createCore } from "@/server/core/mod.ts";
import { EMAIL, PASSWORD } from "@/tests/sites/core_site.ts";

// covers: S-82
Deno.test("no password and no token is in the program's log, at any level and whatever fails", async () => {
  const lines: string[] = [];
  const log = (...entry: unknown[]) => void lines.push(JSON.stringify(entry));
  const core = await createCore({
    dataDir: null,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
    log,
  });
  try {
    const open = { send: core.fetch, origin: "http://core" };
    const { access_token, refresh_token } = await login(open, { email: EMAIL, password: PASSWORD });
    await login(open, { email: EMAIL, password: "wrong-1-password" }).catch(() => {});
    const call = async (method: string, path: string, token: string, json?: unknown) => {
      const answer = await core.fetch(
        new Request(`http://core${path}`, {
          method,
          headers: { authorization: `Bearer ${token}` },
          body: json === undefined ? undefined : JSON.stringify(json),
        }),
      );
      return await answer.json().catch(() => ({}));
    };
    const { ticket } = await call("POST", "/api/v1/auth/ws-ticket", access_token);
    assert.ok(await core.verifyToken(ticket));
    const passwords = { current_password: "wrong-2-password", new_password: "another-1-password" };
    await call("PUT", "/vuuc/api/user", access_token, passwords);
    await call("GET", `/api/v1/patients?search_string=${access_token}`, access_token);
    await call("GET", `/api/v1/nowhere/${access_token}`, access_token);
    const next = await call("POST", "/api/v1/auth/refresh", refresh_token);
    await call("GET", "/api/v1/user", "made-up-token-0123456789");
    assert.ok(lines.length > 5, "nothing was logged");
    const secrets = [
      PASSWORD,
      "wrong-1-password",
      ...Object.values(passwords),
      access_token,
      refresh_token,
      ticket,
    ];
    for (const secret of [...secrets, next.access_token, "made-up-token-0123456789"]) {
      assert.ok(secret, "a secret is missing");
      assert.deepEqual(lines.filter((line) => line.includes(secret)), []);
    }
  } finally {
    await core.close();
  }
});
