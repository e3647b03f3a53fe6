import * as esbuild from "esbuild";
import { createHash } from "node:crypto";

/**
 * esbuild plugin: bundles the image worker as a file of its own, copies the kernels' WASM beside it, and gives
 * `client/kernels/assets.ts` their content-hashed addresses.
 *
 * @param root       Repository root, absolute.
 * @param outDir     Folder of the built files, absolute.
 * @param publicPath Address of that folder, e.g. `/static/build`.
 */
export const viewerAssets = (
  { root, outDir, publicPath, minify = true }: {
    root: string;
    outDir: string;
    publicPath: string;
    minify?: boolean;
  },
): esbuild.Plugin => ({
  name: "viewer-assets",
  setup(build) {
    build.onLoad({ filter: /client[\\/]kernels[\\/]assets\.ts$/ }, async () => {
      await Deno.mkdir(outDir, { recursive: true });
      const write = async (stem: string, extension: string, bytes: Uint8Array) => {
        const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase();
        const name = `${stem}-${hash}.${extension}`;
        await Deno.writeFile(`${outDir}/${name}`, bytes);
        return `${publicPath}/${name}`;
      };
      const worker = await esbuild.build({
        entryPoints: [`${root}/client/kernels/worker.ts`],
        bundle: true,
        write: false,
        format: "esm",
        platform: "browser",
        target: "es2022",
        minify,
        alias: { "@": root },
        define: { "import.meta.url": '""' },
      });
      const workerUrl = await write("kernels_worker", "js", worker.outputFiles[0]!.contents);
      const wasmPath = `${root}/wasm/pkg/kernels/bind_browser_bg.wasm`;
      const wasmUrl = await write("kernels", "wasm", await Deno.readFile(wasmPath));
      return {
        loader: "js",
        contents: `export const KERNELS_WORKER_URL = ${JSON.stringify(workerUrl)};\n` +
          `export const KERNELS_WASM_URL = ${JSON.stringify(wasmUrl)};\n`,
        watchFiles: [wasmPath, `${root}/client/kernels/worker.ts`],
      };
    });
  },
});
