// covers: S-41
import assert from "node:assert/strict";
import * as esbuild from "esbuild";
import { fileURLToPath } from "node:url";
import { CHROMIUM, hasChromium, launchBrowser } from "@/tests/e2e/site.ts";
import { reglCsp } from "@/tools/pages/regl_csp.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
const POLICY =
  "default-src 'none'; connect-src 'self'; script-src 'self' 'nonce-n0' 'wasm-unsafe-eval'";

/** Serves the page's script, bundled like the product, with the product's strictest policy. */
async function servePage() {
  const bundle = await esbuild.build({
    entryPoints: [`${ROOT}/tests/viewer/presenters_page.ts`],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    alias: { "@": ROOT },
    plugins: [reglCsp()],
  });
  await esbuild.stop();
  const files: Record<string, [string, BodyInit]> = {
    "/": ["text/html", '<!doctype html><script type="module" nonce="n0" src="/page.js"></script>'],
    "/page.js": ["text/javascript", bundle.outputFiles[0]!.text],
    "/kernels.wasm": [
      "application/wasm",
      await Deno.readFile(`${ROOT}/wasm/pkg/kernels/bind_browser_bg.wasm`),
    ],
  };
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const [type, body] = files[new URL(request.url).pathname] ?? ["text/plain", ""];
    return new Response(body, {
      headers: { "content-type": type, "content-security-policy": POLICY },
    });
  });
}

Deno.test({
  name: `both presenters show the kernel's pixels under a strict policy${
    hasChromium ? "" : ` (skipped: no ${CHROMIUM})`
  }`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const server = await servePage();
    const browser = await launchBrowser({ gl: true });
    try {
      const page = await browser.newPage(), said: string[] = [];
      page.setDefaultTimeout(60_000);
      page.on("console", (message) => said.push(message.text()));
      page.on("pageerror", (error) => said.push(String(error)));
      await page.goto(`http://127.0.0.1:${server.addr.port}/`);
      await page.waitForFunction("globalThis.largestDifferences");
      const differences = await page.evaluate("largestDifferences()") as Record<string, number>;
      assert.ok(
        differences.canvas! <= 1 && differences.regl! <= 1,
        JSON.stringify({ differences, said }),
      );
      assert.ok(await page.evaluate("differenceOfScenes(200)") as number <= 1);
      const choice = async (forced: string) =>
        await page.evaluate(`chosen(${forced})`) as {
          kind: string;
          reason: string;
          renderer: string;
        };
      assert.deepEqual(await choice('"canvas"'), {
        kind: "canvas",
        reason: "forced",
        renderer: "",
      });
      const forced = await choice('"regl"');
      assert.deepEqual([forced.kind, forced.reason], ["regl", "forced"]);
      const free = await choice("null");
      assert.match(free.renderer, /SwiftShader/i);
      assert.deepEqual([free.kind, free.reason], ["canvas", "software WebGL"]);
      assert.deepEqual(await page.evaluate("openMany(40)"), [10, 200, 30, 255]);
      assert.deepEqual(said.filter((text) => /Too many active WebGL contexts/.test(text)), []);
      assert.deepEqual(said.filter((text) => /Content Security Policy|Error/i.test(text)), []);
    } finally {
      await browser.close();
      await server.shutdown();
    }
  },
});
