// Over 400 lines: its tests share the way a site is opened.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createCore } from "@/core/mod.ts";
import type { PageModule } from "@/edge/pages/page.ts";
import { pathToPattern } from "@/edge/web/router.ts";
import { createSite } from "@/fresh.config.ts";
import type { Log } from "@/edge/remote/core_link.ts";

const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";

/** Builds the browser's files once when the tree has none. */
async function ensureBuilt(): Promise<void> {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tools/build.ts", "--if-changed"],
    cwd: root,
    stdout: "null",
  }).output();
  assert.ok(success, "the build failed");
}
await ensureBuilt();

const TLS_PROXY = "10.0.0.1";

/** The real core in memory, behind the real edge. */
async function openSite(dataDir: string | null = null, log: Log = () => {}) {
  const core = await createCore({ dataDir, workers: 0, adminEmail: EMAIL, adminPassword: PASSWORD });
  const site = await createSite({
    core,
    settings: { dataDir, log, isTrustedProxy: (address) => address === TLS_PROXY },
  });
  return {
    core,
    site,
    /** Sends a request, from nowhere or from a network address. */
    send: async (path: string, init: RequestInit = {}, hostname?: string, origin = "http://hospital.test") =>
      await site.fetch(
        new Request(`${origin}${path}`, init),
        hostname === undefined ? undefined : { remoteAddr: { transport: "tcp", hostname, port: 4321 } },
      ),
    async [Symbol.asyncDispose]() {
      site.close();
      await core.close();
    },
  };
}
type Opened = Awaited<ReturnType<typeof openSite>>;

const ORIGIN = { origin: "http://hospital.test" };
const loginBody = (password = PASSWORD) => ({
  method: "POST",
  body: JSON.stringify({ email: EMAIL, password }),
});

/** Signs in as a page does; the session's cookie as `name=value`. */
async function signIn({ send }: Opened): Promise<string> {
  const answer = await send("/api/v1/auth/login", {
    ...loginBody(),
    headers: { ...ORIGIN, "content-type": "application/json" },
  });
  assert.equal(answer.status, 204);
  return answer.headers.get("set-cookie")!.split(";")[0]!;
}

// covers: D1-2.3, D1-4.2, D2-2.2
Deno.test("a page without a session leads to /login and back to where one wanted to go", async () => {
  await using opened = await openSite();
  for (const [path, location] of [["/", "/login"], ["/?page=2", "/login?next=%2F%3Fpage%3D2"]] as const) {
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
  await (await opened.send("/api/v1/auth/logout", { method: "HEAD", headers: { ...ORIGIN, cookie } })).text();
  const folder = new URL("../../routes/", import.meta.url),
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
  assert.deepEqual([...shown], ["/403", "/login"]);
  assert.ok(pages.size > 6);
});

// covers: D2-2.2
Deno.test("an unknown path is the not-found page, and /403 the forbidden one", async () => {
  await using opened = await openSite();
  const missing = await opened.send("/nowhere/at/all");
  assert.equal(missing.status, 404);
  const text = await missing.text();
  assert.ok(text.includes("Page does not exist.") && text.includes("Go to Homepage"));
  const forbidden = await opened.send("/403", { headers: { cookie: "language=ko" } });
  assert.equal(forbidden.status, 403);
  assert.ok((await forbidden.text()).includes("페이지에 접근할 수 없습니다."));
});

Deno.test("a page is in the theme that its reader chose, and light for all who chose none or another", async () => {
  await using opened = await openSite();
  for (const [cookie, theme] of [["dark", "dark"], ["system", "system"], ["", "light"], ['"><x', "light"]]) {
    const page = await opened.send("/403", { headers: { cookie: `theme=${cookie}` } });
    assert.match(await page.text(), new RegExp(`^<!doctype html><html lang="en" data-theme="${theme}">`));
  }
});

// covers: D1-7.1
Deno.test("a browser in Korean gets the sign-in page in Korean, any other in English", async () => {
  await using site = await openSite();
  for (const [wanted, lang] of [["ko-KR,ko;q=0.9,en;q=0.5", "ko"], ["fr", "en"]] as const) {
    const page = await (await site.send("/login", { headers: { "accept-language": wanted } })).text();
    assert.match(page, new RegExp(`<html lang="${lang}"`));
    assert.equal(page.includes("로그인"), lang === "ko");
  }
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
    const behindTls = await opened.send("/api/v1/auth/login", { ...loginBody(), headers: told }, address);
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
  const user = await opened.send("/api/v1/user", { headers: { authorization: `Bearer ${access_token}` } });
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
Deno.test("the worklist is rendered with its data and a policy that allows nothing inline", async () => {
  await using opened = await openSite();
  const cookie = await signIn(opened);
  const answer = await opened.send("/", { headers: { cookie } });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval(?<!wasm-unsafe-eval)/);
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  assert.ok(nonce);
  const html = await answer.text();
  assert.ok(html.includes(`nonce="${nonce}"`));
  assert.ok(html.includes("No patients yet"));
  assert.ok(html.includes('"queryKey":["patients","list"'));
  assert.doesNotMatch(html, / style="|<style/);
  assert.doesNotMatch(html, / on[a-z]+="/);
  const again = await opened.send("/", { headers: { cookie } });
  assert.ok(!again.headers.get("content-security-policy")?.includes(nonce), "a nonce is used once");
});

Deno.test("the audit log has the address of whoever opens a page, not one that they tell", async () => {
  await using opened = await openSite();
  const headers = { cookie: await signIn(opened), "x-forwarded-for": "10.9.9.9" };
  await (await opened.send("/viewer/999", { headers }, "10.0.0.7")).body?.cancel();
  const { entries } = await (await opened.send("/api/v1/audit?event=study.view", { headers })).json();
  assert.deepEqual([entries.length, entries[0]?.pid, entries[0]?.address], [1, 999, "10.0.0.7"]);
});

// covers: S-75
Deno.test("every answer carries the security headers", async () => {
  await using opened = await openSite();
  for (const path of ["/login", "/nowhere", "/api/v1/user", "/static/logo.svg"]) {
    const { headers } = await opened.send(path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(headers.get("referrer-policy"), "no-referrer", path);
    assert.equal(headers.get("cross-origin-opener-policy"), "same-origin", path);
    assert.equal(headers.get("x-frame-options"), "DENY", path);
    assert.match(
      headers.get("permissions-policy") ?? "",
      /camera=\(\), microphone=\(\), geolocation=\(\)/,
      path,
    );
    assert.ok(headers.get("x-request-id"), path);
    // nor what it is made with
    for (const name of ["strict-transport-security", "server", "x-powered-by"]) {
      assert.equal(headers.get(name), null, `${path} ${name}`);
    }
    // anybody can write a header
    for (const [address, age] of [[TLS_PROXY, "max-age=31536000"], ["10.0.0.7", null]] as const) {
      const told = await opened.send(path, { headers: { "x-forwarded-proto": "https" } }, address);
      assert.equal(told.headers.get("strict-transport-security"), age, `${path} ${address}`);
    }
  }
});

// covers: S-75
Deno.test("an unsafe request of another origin is refused", async () => {
  await using opened = await openSite();
  const cookie = await signIn(opened);
  const senders: Record<string, string>[] = [{ origin: "http://evil.test" }, {}, { origin: "null" }];
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

Deno.test("a page that crashed is one line in the log, without a session too, and what is no report is none", async () => {
  const lines: Record<string, unknown>[] = [];
  await using opened = await openSite(null, (_level, message, fields) => {
    if (message === "A page crashed") lines.push(fields!);
  });
  const report = { where: "Worklist", page: "/viewer/77", message: "TypeError: x of 'Kim'", stack: "" };
  const told = (body: string, headers: Record<string, string> = ORIGIN, address?: string) =>
    opened.send("/crashes", { method: "POST", headers, body }, address);
  assert.equal((await told(JSON.stringify(report))).status, 204);
  assert.equal(
    (await told(JSON.stringify({ ...report, where: "Kim Haneul", page: "/?search=Kim" }))).status,
    204,
  );
  assert.deepEqual(lines.splice(0).map(({ where, page, reason, stack }) => [where, page, reason, stack]), [
    ["Worklist", "/viewer/#", "TypeError: x of [text]", []],
    ["[other]", "[other]", "TypeError: x of [text]", []],
  ]);
  for (
    const body of ["", "null", "no JSON", "[1", JSON.stringify({ ...report, message: "x".repeat(20_000) })]
  ) {
    assert.equal((await told(body)).status, 204);
  }
  assert.equal((await told(JSON.stringify(report), { origin: "http://elsewhere.test" })).status, 403);
  assert.deepEqual(lines, []);
  for (let n = 0; n < 40; n++) await told(JSON.stringify(report), ORIGIN, "192.0.2.7");
  assert.equal(lines.length, 30);
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
    assert.equal((await opened.send("/api/v1/auth/logout", { method: "HEAD", headers })).status, 204);
  }
  assert.equal((await opened.send("/", { headers })).status, 302);
  assert.equal((await opened.send("/api/v1/user", { headers })).status, 401);
});

// covers: D1-4.11
Deno.test("a later sign-in of the same person ends the earlier session", async () => {
  await using opened = await openSite();
  const first = await signIn(opened);
  const second = await signIn(opened);
  assert.equal((await opened.send("/", { headers: { cookie: first } })).headers.get("location"), "/login");
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

Deno.test("files of the build never change and come compressed; others are asked again", async () => {
  await using opened = await openSite();
  const html = await (await opened.send("/login")).text();
  const stylesheet = /href="(\/static\/build\/style-[^"]+)"/.exec(html)![1]!;
  const compressed = await opened.send(stylesheet, { headers: { "accept-encoding": "gzip, br" } });
  assert.equal(compressed.headers.get("content-encoding"), "br");
  assert.equal(compressed.headers.get("cache-control"), "public, max-age=31536000, immutable");
  const plain = await opened.send(stylesheet);
  assert.equal(plain.headers.get("content-encoding"), null);
  const [small, large] = [
    (await compressed.arrayBuffer()).byteLength,
    (await plain.arrayBuffer()).byteLength,
  ];
  assert.ok(small < large / 2, `${small} of ${large}`);
  const icon = await opened.send("/static/logo.svg");
  await icon.body?.cancel();
  const tag = icon.headers.get("etag")!;
  assert.equal((await opened.send("/static/logo.svg", { headers: { "if-none-match": tag } })).status, 304);
  for (const path of ["/static/../deno.json", "/static/%2e%2e/deno.json", "/static/build/manifest.jsonx"]) {
    assert.equal((await opened.send(path)).status, 404, path);
  }
});

Deno.test("a page that cannot be made shows the error's name, what it means and a way home", async () => {
  await using opened = await openSite();
  const cookie = await signIn(opened);
  // the session is open, and the core goes away
  const { fetch } = opened.core;
  opened.core.fetch = () => Promise.reject(new TypeError("connection refused"));
  const answer = await opened.send("/", { headers: { cookie } });
  Object.assign(opened.core, { fetch });
  assert.equal(answer.status, 502);
  const text = await answer.text();
  for (const part of ["core.unreachable", "The server is not responding.", "Go to Home", 'href="/"']) {
    assert.ok(text.includes(part), part);
  }
  assert.equal((await opened.send("/", { headers: { cookie } })).status, 200, "nobody was signed out");
});

// covers: S-79
Deno.test("no address under /static leads out of the folder or to an error", async () => {
  await using opened = await openSite();
  for (
    const name of [
      "..%5Cdeno.json",
      "css%5C..%5C..%5Cdeno.json",
      "%2e%2e%2fdeno.json",
      "%252e%252e/deno.json",
      "..%252fdeno.json",
      "%E0%A4%A.js",
      "css/base%00.css",
      "http:deno.json",
      "file:%2f%2f%2fetc%2fdeno.json",
      "css/base.constructor",
      "css/",
    ]
  ) {
    const answer = await opened.send(`/static/${name}`);
    assert.equal(answer.status, 404, name);
    assert.doesNotMatch(await answer.text(), /nodeModulesDir/, name);
  }
  assert.equal((await opened.send("/static/css/base.css")).status, 200);
});

// covers: S-117
Deno.test("security.txt says to everybody whom to tell of a weakness, and until when that is so", async () => {
  await using opened = await openSite();
  const answer = await opened.send("/.well-known/security.txt", {
    headers: { host: "mri.hospital.test:8443" },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
  const text = await answer.text(), expires = /^Expires: (\S+)$/m.exec(text)?.[1] ?? "";
  assert.match(text, /^Contact: mailto:security@mri\.hospital\.test$/m);
  const days = (Date.parse(expires) - Date.now()) / (24 * 60 * 60_000);
  // RFC 9116: less than a year
  assert.ok(days > 100 && days < 365, expires);
});

Deno.test("pages are packed for browsers that unpack them, with all their headers; others get them as they are", async () => {
  await using opened = await openSite();
  const ask = async (encoding: string) =>
    await opened.send("/login", { headers: { "accept-encoding": encoding } });
  const plain = await (await ask("identity")).text();
  for (const encoding of ["br, gzip", "gzip;q=0.5"]) {
    const answer = await ask(encoding);
    assert.equal(answer.headers.get("content-encoding"), "gzip");
    assert.match(answer.headers.get("vary") ?? "", /accept-encoding/);
    assert.match(answer.headers.get("content-security-policy") ?? "", /nonce-/);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    const packed = new Uint8Array(await answer.arrayBuffer());
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const text = await new Response(stream).text(), nonce = /nonce="[^"]*"/g;
    assert.equal(text.replace(nonce, ""), plain.replace(nonce, ""));
    assert.ok(packed.length < 0.6 * plain.length, `${packed.length} of ${plain.length}`);
  }
  assert.equal((await ask("gzip;q=0")).headers.get("content-encoding"), null);
});
