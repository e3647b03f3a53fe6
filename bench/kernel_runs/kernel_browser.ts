// Benchmark of the kernels in Chromium, where WebAssembly needs no bounds check per memory access.
import * as esbuild from "esbuild";
import type { Native } from "@/bench/kernel_runs/kernel_native.ts";
import type { Row } from "@/bench/record.ts";
import { launchBrowser } from "@/tests/e2e/site.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
/** Cross-origin isolation, which gives `performance.now()` a resolution of 5 µs, not 100 µs. */
const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** Result of a run in the page. */
interface BrowserRows {
  browser: string;
  rows: Row[];
}

/** Bundles the parts into one script with a function `run` that measures them. */
async function script(parts: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const imports = parts.map((name, n) =>
    `import { rows as rows${n} } from "@/bench/kernels/${name}";`
  );
  const contents = `${imports.join("\n")}
    import { makeKit } from "@/bench/kernel_runs/kernel_kit.ts";
    globalThis.run = async (hasNative) => {
      const native = hasNative ? { roundMs: (...asked) => globalThis.nativeMs(...asked) } : null;
      const [kernels, reading] = await Promise.all(["kernels", "reading"].map((name) =>
        WebAssembly.compileStreaming(fetch("/" + name + ".wasm"))));
      const kit = makeKit(kernels, reading, native);
      for (const rows of [${parts.map((_, n) => `rows${n}`).join()}]) await rows(kit);
      kit.composer.close();
      return kit.rows;
    };`;
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    alias: { "@": ROOT },
  });
  await esbuild.stop();
  return outputFiles[0]!.contents as Uint8Array<ArrayBuffer>;
}

/** Measures parts (file names in bench/kernels) in a new page. */
export async function rowsInChromium(
  parts: readonly string[],
  wasm: Uint8Array<ArrayBuffer>,
  reading: Uint8Array<ArrayBuffer>,
  native: Native | null,
): Promise<BrowserRows> {
  const files: Record<string, [type: string, body: BodyInit]> = {
    "/": [
      "text/html",
      `<!doctype html><title>Kernels</title><script type="module" src="/bench.js"></script>`,
    ],
    "/bench.js": ["text/javascript", await script(parts)],
    "/kernels.wasm": ["application/wasm", wasm],
    "/reading.wasm": ["application/wasm", reading],
  };
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) => {
      const [type, body] = files[new URL(url).pathname] ?? ["text/plain", null];
      return new Response(body, {
        status: body === null ? 404 : 200,
        headers: { ...HEADERS, "content-type": type },
      });
    },
  );
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    if (native !== null) await page.exposeFunction("nativeMs", native.roundMs);
    await page.goto(`http://127.0.0.1:${server.addr.port}/`);
    await page.waitForFunction("globalThis.run && globalThis.crossOriginIsolated");
    const rows = await page.evaluate<Row[]>(`run(${native !== null})`);
    return { browser: `Chromium ${browser.version()}`, rows };
  } finally {
    await browser.close();
  }
}
