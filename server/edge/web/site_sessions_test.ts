// Who is signed in: sessions, their cookies, and the origins that may use them.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import type { PageModule } from "@/server/edge/pages/page.ts";
import { pathToPattern } from "@/server/edge/web/router.ts";
import { EMAIL, loginBody, openSite, ORIGIN, signIn, TLS_PROXY } from "@/tests/sites/web_site.ts";

// covers: D1-2.3, D1-4.2, D2-2.2
Deno.test("a page without a session leads to /login and back to where one wanted to go", async () => {
  await using opened = await openSite();
  for (
    const [path, location] of [["/", "/login"], ["/?page=2", "/login?next=%2F%3Fpage%3D2"]] as const
  ) {
    const answer = await opened.send(path);
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get("location"), location);
  }
  const answer = await opened.send("/", { headers: { cookie: "sulcus_session=made-up" } });
  assert.equal(answer.headers.get("location"), "/login");
});

// covers: S-98
Deno.test("no page is shown to nobody, or to a session that has ended, but those that are public", async () => {
  await using opened = await openSite();
  const cookie = await signIn(opened);
  await (await opened.send("/api/v1/auth/logout", {
    method: "HEAD",
    headers: { ...ORIGIN, cookie },
  })).text();
  const folder = new URL("../../../routes/", import.meta.url),
    pages = new Set<string>(),
    shown = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const file = name.replaceAll("\\", "/");
    if (!file.endsWith(".tsx") || file.startsWith("_")) continue;
    const module: PageModule = await import(new URL(file, folder).href);
    if (module.isDevOnly) continue;
    const address = pathToPattern(file).replace(/:\w+/g, "1");
    for (const sent of [null, cookie, "sulcus_session=made-up"]) {
      const answer = await opened.send(address, sent === null ? {} : { headers: { cookie: sent } });
      await answer.body?.cancel();
      if (answer.status !== 302) shown.add(address);
      else assert.match(answer.headers.get("location")!, /^\/login(\?|$)/, address);
      pages.add(address);
    }
  }
  // the last says to everybody what is wrong with a link; its patients come after signing in
  assert.deepEqual([...shown].sort(), ["/403", "/IHEInvokeImageDisplay", "/login"]);
  assert.ok(pages.size > 6);
});

Deno.test("signing in as a page keeps the tokens here and sets a strict cookie", async () => {
  await using opened = await openSite();
  const headers = { ...ORIGIN, "content-type": "application/json" };
  const answer = await opened.send("/api/v1/auth/login", { ...loginBody(), headers });
  const cookie = answer.headers.get("set-cookie") ?? "";
  assert.match(cookie, /HttpOnly/);
  assert.match(cookie, /SameSite=Strict/);
  assert.doesNotMatch(cookie, /Secure/);
  assert.equal(await answer.text(), "");
  for (const [address, isSecure] of [[TLS_PROXY, true], ["10.0.0.7", false]] as const) {
    const told = { ...headers, "x-forwarded-proto": "https", origin: "https://hospital.test" };
    const behindTls = await opened.send(
      "/api/v1/auth/login",
      { ...loginBody(), headers: told },
      address,
    );
    assert.equal(/Secure/.test(behindTls.headers.get("set-cookie")!), isSecure, address);
  }
});

// covers: D1-7.1
Deno.test("signing in as a program gives the tokens and no cookie", async () => {
  await using opened = await openSite();
  const answer = await opened.send("/api/v1/auth/login", {
    ...loginBody(),
    headers: { "content-type": "application/json" },
  });
  assert.equal(answer.headers.get("set-cookie"), null);
  const { access_token } = await answer.json();
  const user = await opened.send("/api/v1/user", {
    headers: { authorization: `Bearer ${access_token}` },
  });
  assert.equal((await user.json()).email, EMAIL);
});

Deno.test("a refused sign-in is passed on with its code and no cookie", async () => {
  await using opened = await openSite();
  const headers = { ...ORIGIN, "content-type": "application/json" };
  const answer = await opened.send("/api/v1/auth/login", { ...loginBody("wrong"), headers });
  assert.equal(answer.status, 401);
  assert.equal((await answer.json()).code, "auth.invalid");
  assert.equal(answer.headers.get("set-cookie"), null);
});

// covers: S-75
Deno.test("an unsafe request of another origin is refused", async () => {
  await using opened = await openSite();
  const cookie = await signIn(opened);
  const senders: Record<string, string>[] = [{ origin: "http://evil.test" }, {}, {
    origin: "null",
  }];
  for (const sender of senders) {
    const answer = await opened.send("/api/v1/analyses", {
      method: "POST",
      body: JSON.stringify({ pid_list: [1] }),
      headers: { cookie, ...sender, "content-type": "application/json" },
    });
    assert.equal(answer.status, 403);
    assert.equal((await answer.json()).code, "access.forbidden");
  }
  const logout = await opened.send("/api/v1/auth/logout", {
    method: "HEAD",
    headers: { cookie, "sec-fetch-site": "cross-site" },
  });
  assert.equal(logout.status, 403);
  assert.equal((await opened.send("/", { headers: { cookie } })).status, 200);
});

// covers: S-106
Deno.test("over HTTPS cookies bear the prefix of this host alone, and a page over a plain connection is another origin", async () => {
  await using opened = await openSite();
  const headers = { "content-type": "application/json", origin: "https://hospital.test" };
  const secure = (path: string, init: RequestInit) =>
    opened.send(path, init, undefined, "https://hospital.test");
  const answer = await secure("/api/v1/auth/login", { ...loginBody(), headers });
  const cookies = answer.headers.getSetCookie();
  assert.deepEqual(cookies.map((text) => text.split("=")[0]), [
    "__Host-sulcus_session",
    "__Host-sulcus_device",
  ]);
  for (const text of cookies) assert.match(text, /Path=\/; HttpOnly; Secure; SameSite=Strict/);
  const session = cookies[0]!.split(";")[0]!;
  const plain = { ...headers, origin: "http://hospital.test", cookie: session };
  const refused = await secure("/api/v1/labels", { method: "PUT", body: "[]", headers: plain });
  assert.deepEqual([refused.status, (await refused.json()).code], [403, "access.forbidden"]);
  const taken = await secure("/api/v1/labels", {
    method: "PUT",
    body: "[]",
    headers: { ...headers, cookie: session },
  });
  assert.equal(taken.status, 200);
  // a cookie of the name that plain connections have was set by who knows whom
  const forged = session.replace("__Host-", "");
  const unknown = await secure("/api/v1/labels", {
    method: "PUT",
    body: "[]",
    headers: { ...headers, cookie: forged },
  });
  assert.equal(unknown.status, 401);
});

Deno.test("signing out ends the session here and in the core, and may be repeated", async () => {
  await using opened = await openSite();
  const cookie = await signIn(opened);
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  for (let i = 0; i < 2; i++) {
    assert.equal(
      (await opened.send("/api/v1/auth/logout", { method: "HEAD", headers })).status,
      204,
    );
  }
  assert.equal((await opened.send("/", { headers })).status, 302);
  assert.equal((await opened.send("/api/v1/user", { headers })).status, 401);
});

// covers: D1-4.11
Deno.test("a later sign-in of the same person ends the earlier session", async () => {
  await using opened = await openSite();
  const first = await signIn(opened);
  const second = await signIn(opened);
  assert.equal(
    (await opened.send("/", { headers: { cookie: first } })).headers.get("location"),
    "/login",
  );
  assert.equal((await opened.send("/", { headers: { cookie: second } })).status, 200);
});

// covers: S-82
Deno.test("sessions survive a restart, and their file alone does not hold the tokens", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    let cookie: string;
    {
      await using opened = await openSite(dataDir);
      cookie = await signIn(opened);
    }
    {
      await using opened = await openSite(dataDir);
      const headers = { cookie };
      const user = await opened.send("/api/v1/user", { headers });
      assert.equal(user.status, 200);
    }
    const secret = cookie.split("=")[1]!;
    const bytes = new TextDecoder("latin1").decode(await Deno.readFile(`${dataDir}/edge.sqlite`));
    assert.ok(!bytes.includes(secret));
    assert.ok(!bytes.includes("refresh"));
    if (Deno.build.os !== "windows") {
      assert.equal((await Deno.stat(`${dataDir}/edge.sqlite`)).mode! & 0o777, 0o600);
    }
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
