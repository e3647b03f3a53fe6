import assert from "node:assert/strict";
import { Hono } from "hono";
import { createCore } from "@/server/core/mod.ts";
import { Sessions } from "@/server/edge/session/sessions.ts";

const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";
const MINUTE = 60_000;

/** Sessions over the real core and a clock of our own; `ask` is a request with the session's cookie. */
async function openSessions() {
  const core = await createCore({
    dataDir: null,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
  });
  const clock = { now: Date.now() };
  let renewals = 0;
  const counted = {
    ...core,
    fetch: (request: Request) => {
      if (request.url.endsWith("/auth/refresh")) renewals++;
      return core.fetch(request);
    },
  };
  const sessions = new Sessions(":memory:", counted, undefined, () => clock.now);
  const login = await (await core.fetch(
    new Request("http://core/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
    }),
  )).json();
  const app = new Hono();
  app.get("/open", (context) => {
    sessions.open(context, login);
    return context.body(null, 204);
  });
  app.get("/token", async (context) => context.text(await sessions.accessToken(context) ?? "none"));
  app.get(
    "/passive",
    async (context) => context.text(await sessions.accessToken(context, true) ?? "none"),
  );
  const opened = await app.request("/open");
  const cookie = opened.headers.get("set-cookie")!.split(";")[0]!;
  return {
    core,
    clock,
    login,
    renewals: () => renewals,
    ask: async (path: string) => await (await app.request(path, { headers: { cookie } })).text(),
    async [Symbol.asyncDispose]() {
      sessions.dispose();
      await core.close();
    },
  };
}

// covers: D1-4.12
Deno.test("accessToken() renews a token that is about to end, once for all who ask", async () => {
  await using opened = await openSessions();
  assert.equal(await opened.ask("/token"), opened.login.access_token);
  opened.clock.now += 14.6 * MINUTE;
  const tokens = await Promise.all(Array.from({ length: 8 }, () => opened.ask("/token")));
  assert.equal(new Set(tokens).size, 1);
  assert.notEqual(tokens[0], opened.login.access_token);
  assert.equal(opened.renewals(), 1);
  const user = await opened.core.fetch(
    new Request("http://core/api/v1/user", { headers: { authorization: `Bearer ${tokens[0]}` } }),
  );
  assert.equal(user.status, 200);
});

// covers: S-3
Deno.test("accessToken() ends a session after 30 minutes without use, and passive use is none", async () => {
  await using opened = await openSessions();
  for (let i = 0; i < 3; i++) {
    opened.clock.now += 10 * MINUTE;
    assert.notEqual(await opened.ask("/passive"), "none");
  }
  opened.clock.now += MINUTE;
  assert.equal(await opened.ask("/token"), "none");
});

// covers: S-3
Deno.test("accessToken() ends a session after 12 hours of use", async () => {
  await using opened = await openSessions();
  for (let i = 0; i < 71; i++) {
    opened.clock.now += 10 * MINUTE;
    assert.notEqual(await opened.ask("/token"), "none", `after ${(i + 1) * 10} min`);
  }
  opened.clock.now += 11 * MINUTE;
  assert.equal(await opened.ask("/token"), "none");
});

// covers: S-73
Deno.test("accessToken() ends a session that was used after now: the clock was set back", async () => {
  await using opened = await openSessions();
  opened.clock.now -= 2 * MINUTE;
  assert.notEqual(await opened.ask("/token"), "none");
  opened.clock.now -= 24 * 60 * MINUTE;
  assert.equal(await opened.ask("/token"), "none");
});
