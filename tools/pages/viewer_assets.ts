import * as esbuild from "esbuild";
import { createHash } from "node:crypto";
import type { BenchCase } from "@/viewer/bench/cases.ts";

/**
 * Removes the name section and other custom sections from a WebAssembly module, to make it smaller.
 */
function withoutCustomSections(module: Uint8Array): Uint8Array {
  const sections = [module.subarray(0, 8)];
  for (let at = 8; at < module.length;) {
    let size = 0, next = at + 1;
    for (let shift = 0;; shift += 7) {
      const byte = module[next++]!;
      size |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    if (module[at] !== 0) sections.push(module.subarray(at, next + size));
    at = next + size;
  }
  return new Uint8Array(sections.flatMap((part) => [...part]));
}

/** Source file of each kernel of the benchmark page, below wasm/kernels/src. */
const KERNEL_FILES = {
  axial: "compose.rs",
  coronal: "compose.rs",
  sagittal: "compose.rs",
  slice: "slices.rs",
  decode: "npy_decode.rs",
  rasterise: "raster/four.rs",
} satisfies Record<BenchCase, string>;

/**
 * esbuild plugin: bundles the workers for images, benchmarks, resampling and DICOM tags as separate
 * files and copies the kernels' WASM beside them. `client/kernels/assets.ts`,
 * `client/kernels/reading/assets.ts` and `client/dicom_scan/assets.ts` receive the hashed
 * addresses; the sources of benchmarked kernels are copied for `viewer/bench/sources.ts`.
 *
 * @param root       Repository root, absolute.
 * @param outDir     Folder of the built files, absolute.
 * @param publicPath URL path of that folder, e.g. `/static/build`.
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
    const write = async (stem: string, extension: string, bytes: Uint8Array) => {
      await Deno.mkdir(outDir, { recursive: true });
      const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase();
      const name = `${stem}-${hash}.${extension}`;
      await Deno.writeFile(`${outDir}/${name}`, bytes);
      return `${publicPath}/${name}`;
    };
    const writeWorker = async (stem: string, entry: string) => {
      const { outputFiles } = await esbuild.build({
        entryPoints: [`${root}/${entry}`],
        bundle: true,
        write: false,
        format: "esm",
        platform: "browser",
        target: "es2022",
        minify,
        alias: { "@": root },
        define: { "import.meta.url": '""' },
      });
      return await write(stem, "js", outputFiles[0]!.contents);
    };
    build.onLoad({ filter: /client[\\/]dicom_scan[\\/]assets\.ts$/ }, async () => ({
      loader: "js",
      contents: `export const SCAN_WORKER_URL = ${
        JSON.stringify(await writeWorker("dicom_scan", "client/dicom_scan/worker.ts"))
      };\n`,
      watchFiles: [`${root}/client/dicom_scan/worker.ts`],
    }));
    build.onLoad({ filter: /client[\\/]kernels[\\/]reading[\\/]assets\.ts$/ }, async () => {
      const worker = "client/kernels/reading/worker.ts",
        wasm = "wasm/pkg/reading/bind_reading_bg.wasm";
      const wasmUrl = await write(
        "reading",
        "wasm",
        withoutCustomSections(await Deno.readFile(`${root}/${wasm}`)),
      );
      return {
        loader: "js",
        contents: `export const READING_WASM_URL = ${JSON.stringify(wasmUrl)};\n` +
          `export const RESAMPLE_WORKER_URL = ${
            JSON.stringify(await writeWorker("resample", worker))
          };\n`,
        watchFiles: [`${root}/${wasm}`, `${root}/${worker}`],
      };
    });
    build.onLoad({ filter: /viewer[\\/]bench[\\/]sources\.ts$/ }, async () => {
      const addresses: Record<string, string> = {}, paths: string[] = [];
      for (const [name, file] of Object.entries(KERNEL_FILES)) {
        const path = `${root}/wasm/kernels/src/${file}`;
        paths.push(path);
        addresses[name] = await write(
          file.replace(/^.*\/|\.rs$/g, ""),
          "txt",
          await Deno.readFile(path),
        );
      }
      return {
        loader: "js",
        contents: `export const KERNEL_SOURCES = ${JSON.stringify(addresses)};\n`,
        watchFiles: paths,
      };
    });
    build.onLoad({ filter: /client[\\/]kernels[\\/]assets\.ts$/ }, async () => {
      const workerUrl = await writeWorker("kernels_worker", "client/kernels/worker.ts");
      const benchUrl = await writeWorker("kernel_bench", "viewer/bench/bench_worker.ts");
      const wasmPath = `${root}/wasm/pkg/kernels/bind_browser_bg.wasm`;
      const wasmUrl = await write(
        "kernels",
        "wasm",
        withoutCustomSections(await Deno.readFile(wasmPath)),
      );
      return {
        loader: "js",
        contents: `export const KERNELS_WORKER_URL = ${JSON.stringify(workerUrl)};\n` +
          `export const KERNELS_WASM_URL = ${JSON.stringify(wasmUrl)};\n` +
          `export const KERNEL_BENCH_URL = ${JSON.stringify(benchUrl)};\n`,
        watchFiles: [wasmPath, `${root}/client/kernels/worker.ts`],
      };
    });
  },
});
