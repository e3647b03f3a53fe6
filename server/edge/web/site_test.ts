// Pages, their headers and files.
import assert from "node:assert/strict";
import { openSite, ORIGIN, signIn, TLS_PROXY } from "@/tests/sites/web_site.ts";

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
  for (
    const [cookie, theme] of [["dark", "dark"], ["system", "system"], ["", "light"], [
      '"><x',
      "light",
    ]]
  ) {
    const page = await opened.send("/403", { headers: { cookie: `theme=${cookie}` } });
    assert.match(
      await page.text(),
      new RegExp(`^<!doctype html><html lang="en" data-theme="${theme}">`),
    );
  }
});

// covers: D1-7.1
Deno.test("a browser in Korean gets the sign-in page in Korean, any other in English", async () => {
  await using site = await openSite();
  for (const [wanted, lang] of [["ko-KR,ko;q=0.9,en;q=0.5", "ko"], ["fr", "en"]] as const) {
    const page = await (await site.send("/login", { headers: { "accept-language": wanted } }))
      .text();
    assert.match(page, new RegExp(`<html lang="${lang}"`));
    assert.equal(page.includes("로그인"), lang === "ko");
  }
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
  const { entries } = await (await opened.send("/api/v1/audit?event=study.view", { headers }))
    .json();
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

Deno.test("a page that crashed is one line in the log, without a session too, and what is no report is none", async () => {
  const lines: Record<string, unknown>[] = [];
  await using opened = await openSite(null, (_level, message, fields) => {
    if (message === "A page crashed") lines.push(fields!);
  });
  const report = {
    where: "Worklist",
    page: "/viewer/77",
    message: "TypeError: x of 'Kim'",
    stack: "",
  };
  const told = (body: string, headers: Record<string, string> = ORIGIN, address?: string) =>
    opened.send("/crashes", { method: "POST", headers, body }, address);
  assert.equal((await told(JSON.stringify(report))).status, 204);
  assert.equal(
    (await told(JSON.stringify({ ...report, where: "Kim Haneul", page: "/?search=Kim" }))).status,
    204,
  );
  assert.deepEqual(
    lines.splice(0).map(({ where, page, reason, stack }) => [where, page, reason, stack]),
    [
      ["Worklist", "/viewer/#", "TypeError: x of [text]", []],
      ["[other]", "[other]", "TypeError: x of [text]", []],
    ],
  );
  for (
    const body of [
      "",
      "null",
      "no JSON",
      "[1",
      JSON.stringify({ ...report, message: "x".repeat(20_000) }),
    ]
  ) {
    assert.equal((await told(body)).status, 204);
  }
  assert.equal(
    (await told(JSON.stringify(report), { origin: "http://elsewhere.test" })).status,
    403,
  );
  assert.deepEqual(lines, []);
  for (let n = 0; n < 40; n++) await told(JSON.stringify(report), ORIGIN, "192.0.2.7");
  assert.equal(lines.length, 30);
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
  assert.equal(
    (await opened.send("/static/logo.svg", { headers: { "if-none-match": tag } })).status,
    304,
  );
  for (
    const path of [
      "/static/../deno.json",
      "/static/%2e%2e/deno.json",
      "/static/build/manifest.jsonx",
    ]
  ) {
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
  for (
    const part of ["core.unreachable", "The server is not responding.", "Go to Home", 'href="/"']
  ) {
    assert.ok(text.includes(part), part);
  }
  assert.equal(
    (await opened.send("/", { headers: { cookie } })).status,
    200,
    "nobody was signed out",
  );
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
