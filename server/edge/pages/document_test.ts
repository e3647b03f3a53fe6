import assert from "node:assert/strict";
import { documentHtml, escapeHtml } from "@/server/edge/pages/document.ts";

const scripts = { client: "/client.js", islands: {} };
const parts = {
  title: "Sulcus",
  manifest: {
    stylesheet: "/s.css?a&b",
    icon: "data:,",
    early: "/early.js",
    scripts,
  },
  nonce: "a+b/c==",
  state: { language: "en" as const, user: null, timeZone: "UTC", queries: null as unknown },
  preload: ["/a.js", "/b.js"],
  theme: "light" as const,
  bodyClass: "",
  isReadFirst: false,
  body: "words",
};
const html = (isReadFirst: boolean) => documentHtml({ ...parts, isReadFirst });

Deno.test("documentHtml() asks for the stylesheet before anything else", () => {
  for (const isReadFirst of [true, false]) {
    const [first] = /(?:src|href)="\/[^"]*"/.exec(html(isReadFirst))!;
    assert.equal(first, 'href="/s.css?a&amp;b"');
  }
});

Deno.test("documentHtml() leaves the scripts of a page that is read first to the early one", () => {
  const asked = (page: string) =>
    [...page.matchAll(/ (?:src|href)="(\/[^"]*\.js)"/g)].map(([, file]) => file);
  assert.deepEqual(asked(html(true)), ["/early.js"]);
  assert.match(html(true), /<script[^>]* data-client="\/client.js" data-modules="\/a.js \/b.js"/);
  assert.deepEqual(asked(html(false)).sort(), ["/a.js", "/b.js", "/client.js", "/early.js"]);
});

Deno.test("escaped() leaves nothing that ends a text or a quoted attribute", () => {
  assert.equal(escapeHtml(`a<b>&"c"'d'`), "a&lt;b&gt;&amp;&quot;c&quot;&#x27;d&#x27;");
});

Deno.test("documentHtml() escapes everything but the page itself", () => {
  for (const isReadFirst of [true, false]) {
    const page = documentHtml({
      ...parts,
      title: "</title><script>alert(1)</script>",
      state: {
        language: "ko",
        user: null,
        timeZone: "UTC",
        queries: "</script><script>alert(2)</script>\u2028",
      },
      preload: ['/1.js"><script>'],
      bodyClass: 'x"y',
      isReadFirst,
      body: "<b>page</b>",
    });
    const count = isReadFirst ? 2 : 3;
    assert.equal(page.split("<script").length - 1, count);
    assert.equal(page.split("</script>").length - 1, count);
    assert.equal(page.split('nonce="a+b/c=="').length - 1, count - 1);
    assert.ok(
      page.startsWith(
        '<!doctype html><html lang="ko" data-theme="light"><head><meta charset="utf-8"/>',
      ),
    );
    const body =
      '<body class="x&quot;y"><div id="page" class="contents"><b>page</b></div><i id="page-end" hidden></i></body></html>';
    assert.ok(page.endsWith(body));
    const state = /id="page-state">([^]*?)<\/script>/.exec(page)![1]!;
    assert.equal(JSON.parse(state).queries, "</script><script>alert(2)</script>\u2028");
  }
});
