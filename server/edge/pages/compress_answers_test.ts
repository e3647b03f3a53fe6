import assert from "node:assert/strict";
import { Hono } from "hono";
import { compressAnswers } from "@/server/edge/pages/compress_answers.ts";
import type { SiteEnv } from "@/server/edge/web/site.ts";
import { until } from "@/tests/sites/until.ts";
import { openSite, signIn } from "@/tests/sites/web_site.ts";

const JSON_TYPE = { "content-type": "application/json" };
const LONG = JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ n, name: `patient ${n}` })));
const ask = async (app: Hono<SiteEnv>, path: string, init: RequestInit = {}) =>
  await app.fetch(
    new Request(`http://site${path}`, { headers: { "accept-encoding": "gzip" }, ...init }),
  );
const unpacked = async (answer: Response) =>
  await new Response(answer.body!.pipeThrough(new DecompressionStream("gzip"))).text();

/** An app with one answer under `/`. */
function appOf(answer: (request: Request) => Response): Hono<SiteEnv> {
  const app = new Hono<SiteEnv>();
  app.use(compressAnswers);
  app.all("/", (context) => answer(context.req.raw));
  return app;
}

Deno.test("compressAnswers() compresses long JSON, DICOM JSON and CSV that are read, with their headers", async () => {
  for (
    const type of [
      "application/json",
      "application/json; charset=utf-8",
      "application/dicom+json",
      "application/fhir+json",
      "text/csv; charset=utf-8",
    ]
  ) {
    const headers = { "content-type": type, "x-total": "500", "vary": "authorization" };
    const answer = await ask(appOf(() => new Response(LONG, { headers })), "/");
    assert.equal(answer.headers.get("content-encoding"), "gzip", type);
    assert.equal(answer.headers.get("content-type"), type);
    assert.equal(answer.headers.get("x-total"), "500");
    assert.equal(answer.headers.get("vary"), "authorization, accept-encoding");
    assert.equal(answer.headers.get("content-length"), null);
    assert.equal(await unpacked(answer), LONG);
  }
});

Deno.test("compressAnswers() leaves every other answer as it is", async () => {
  const plain = (answer: () => Response, init?: RequestInit) => ask(appOf(answer), "/", init);
  const cases: Record<string, Promise<Response>> = {
    "short": plain(() => new Response('{"a":1}', { headers: JSON_TYPE })),
    "not wanted": plain(() => new Response(LONG, { headers: JSON_TYPE }), {
      headers: { "accept-encoding": "gzip;q=0" },
    }),
    "a token of a POST": plain(() => new Response(LONG, { headers: JSON_TYPE }), {
      method: "POST",
    }),
    "an error": plain(() => new Response(LONG, { status: 409, headers: JSON_TYPE })),
    "a strong tag": plain(() => new Response(LONG, { headers: { ...JSON_TYPE, etag: '"x"' } })),
    "a range": plain(() =>
      new Response(LONG, { headers: { ...JSON_TYPE, "content-range": "bytes 0-9/99" } })
    ),
    "events": plain(() => new Response(LONG, { headers: { "content-type": "text/event-stream" } })),
    "bytes": plain(() =>
      new Response(LONG, { headers: { "content-type": "application/octet-stream" } })
    ),
  };
  for (const [name, answer] of Object.entries(cases)) {
    const { headers } = await answer, text = await (await answer).text();
    assert.equal(headers.get("content-encoding"), null, name);
    assert.equal(text, name === "short" ? '{"a":1}' : LONG, name);
  }
  const packed = new Uint8Array([31, 139, 8]);
  const stored = await plain(() =>
    new Response(packed, { headers: { ...JSON_TYPE, "content-encoding": "gzip" } })
  );
  assert.deepEqual(new Uint8Array(await stored.arrayBuffer()), packed);
});

Deno.test("compressAnswers() hands a long stream on as it comes, and its failure and its end of interest", async () => {
  const chunk = new TextEncoder().encode(LONG);
  let pulled = 0, isCancelled = false;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          pulled++;
          controller.enqueue(chunk);
        },
        cancel: () => void (isCancelled = true),
      }),
      { headers: JSON_TYPE },
    );
  const answer = await ask(appOf(endless), "/"), reader = answer.body!.getReader();
  for (let n = 0; n < 3; n++) assert.ok((await reader.read()).value!.length > 0);
  assert.ok(pulled < 100, `${pulled} chunks were read ahead`);
  await reader.cancel();
  await until(() => isCancelled);

  const broken = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(chunk),
        pull: (controller) => controller.error(new Error("the core is gone")),
      }),
      { headers: JSON_TYPE },
    );
  const cut = await ask(appOf(broken), "/");
  await assert.rejects(cut.text());
});

Deno.test("the API's description comes compressed through the site and is the same", async () => {
  await using opened = await openSite();
  const cookie = await signIn(opened);
  const get = (encoding: string) =>
    opened.send("/api/openapi.json", { headers: { cookie, "accept-encoding": encoding } });
  const plain = await (await get("identity")).text(), answer = await get("gzip, br");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-encoding"), "gzip");
  const bytes = new Uint8Array(await answer.arrayBuffer());
  assert.ok(bytes.length < plain.length / 4, `${bytes.length} of ${plain.length}`);
  assert.equal(await unpacked(new Response(bytes)), plain);
});
