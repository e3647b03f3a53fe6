import assert from "node:assert/strict";
import { renderToString } from "react-dom/server";
import { Document } from "@/edge/document.tsx";

const scripts = { client: "/client.js", islands: {} };
const html = (isReadFirst: boolean) =>
  renderToString(
    <Document
      title="Sulcus"
      manifest={{
        stylesheet: "/s.css",
        icon: "data:,",
        early: "/early.js",
        scripts: { en: scripts, ko: scripts },
      }}
      nonce="n"
      state={{ language: "en", user: null, queries: null }}
      preload={["/a.js", "/b.js"]}
      bodyClass=""
      isReadFirst={isReadFirst}
    >
      words
    </Document>,
  );

Deno.test("Document asks for the stylesheet before anything else", () => {
  for (const isReadFirst of [true, false]) {
    const [first] = /(?:src|href)="\/[^"]*"/.exec(html(isReadFirst))!;
    assert.equal(first, 'href="/s.css"');
  }
});

Deno.test("Document leaves the scripts of a page that is read first to the early one", () => {
  const asked = (page: string) =>
    [...page.matchAll(/ (?:src|href)="(\/[^"]*\.js)"/g)].map(([, file]) => file);
  assert.deepEqual(asked(html(true)), ["/early.js"]);
  assert.match(html(true), /<script[^>]* data-client="\/client.js" data-modules="\/a.js \/b.js"/);
  assert.deepEqual(asked(html(false)).sort(), ["/a.js", "/b.js", "/client.js", "/early.js"]);
});
