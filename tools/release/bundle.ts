// Bundles the programs of a release: each becomes one file with the same name and path as in the
// tree, so that every `new URL("./worker.ts", import.meta.url)` stays valid. Shared code and
// packages go to `chunks`.
import { dirname, join, relative } from "node:path";
import * as esbuild from "esbuild";
import { filesUnder } from "@/tools/pages/source_files.ts";

/** Entry files of the commands in a release. */
const COMMANDS = ["main.ts", "server/commands/analyze.ts", "server/commands/analyze_visits.ts"];

/**
 * Entry files of the processes and workers in a release,
 * found by the expression `new URL("./worker.ts", import.meta.url)`.
 */
async function programs(
  root: string,
  commands: readonly string[] = COMMANDS,
  folders: readonly string[] = ["server", "report"],
): Promise<string[]> {
  const programPaths = new Set(commands);
  for (const folder of folders) {
    for await (const file of filesUnder(join(root, folder))) {
      if (!/\.tsx?$/.test(file) || /_(test|fixture|testing)\.|\/demo/.test(file)) continue;
      const text = await Deno.readTextFile(file);
      for (const [, path] of text.matchAll(/new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g)) {
        programPaths.add(relative(root, join(dirname(file), path!)));
      }
    }
  }
  return [...programPaths].sort();
}

/**
 * First lines of every bundled file: the root path of the release, from the depth of the file, and
 * a function that resolves paths of the tree.
 */
const BANNER = `import { createRequire as __createRequire } from "node:module";
const __root = globalThis.__sulcusRoot ??= import.meta.url.split("/").slice(0, -__DEPTH__).join("/") + "/";
const __place = (path) => __root + path;
const __isMain = (path) => Deno.mainModule === __root + path;
const __vendor = { "@niivue/dcm2niix": "dcm2niix/index.js", "@cornerstonejs/codec-charls/decodewasm": "codecs/charlswasm_decode.wasm", "@cornerstonejs/codec-openjpeg/decodewasm": "codecs/openjpegwasm_decode.wasm" };
const __resolve = (name) => name in __vendor ? __root + "vendor/" + __vendor[name] : import.meta.resolve(name);
const require = __createRequire(import.meta.url);
const __filename = decodeURIComponent(new URL(import.meta.url).pathname), __dirname = __filename.replace(/\\/[^/]*$/, "");`;

/**
 * Replaces file-relative addresses in the code by paths of the tree, because bundled code may move.
 */
const ownPlace = (root: string): esbuild.Plugin => ({
  name: "own-place",
  setup(build) {
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      if (path.includes("/node_modules/")) return;
      const place = JSON.stringify(relative(root, path)), text = await Deno.readTextFile(path);
      const contents = text
        .replaceAll("import.meta.resolve(", "__resolve(")
        .replaceAll("import.meta.url", `__place(${place})`)
        .replaceAll("import.meta.main", `__isMain(${place})`);
      return { contents, loader: path.endsWith("x") ? "tsx" : "ts", resolveDir: dirname(path) };
    });
  },
});

async function routes(root: string): Promise<string[]> {
  const files = (await Array.fromAsync(filesUnder(join(root, "routes")))).map((file) =>
    relative(root, file)
  );
  return files.filter((file) => /\.tsx?$/.test(file) && !/_test\./.test(file)).sort();
}

/**
 * Bundles the programs of a source tree into a folder.
 * @returns npm packages in the bundle, as `name@version`.
 */
export const bundlePrograms = async (root: string, out: string): Promise<string[]> =>
  await bundle(root, out, [...await programs(root), ...await routes(root)]);

/** Bundles only the code that analyses a file, for an engine folder. */
export const bundleEngine = async (root: string, out: string): Promise<string[]> =>
  await bundle(
    root,
    out,
    await programs(root, ["server/commands/analyze.ts"], ["server/core/engine"]),
  );

async function bundle(root: string, out: string, entryPoints: string[]): Promise<string[]> {
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints,
    outbase: root,
    outdir: out,
    bundle: true,
    // makes all pages share one copy of React
    splitting: true,
    chunkNames: "chunks/[hash]",
    format: "esm",
    platform: "node",
    target: "es2023",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "react",
    minify: true,
    keepNames: true,
    legalComments: "external",
    metafile: true,
    logLevel: "warning",
    alias: { "@": root },
    define: { "process.env.NODE_ENV": '"production"', SULCUS_IS_INSTALLED: "true" },
    external: ["pg-native", "@niivue/dcm2niix"],
    plugins: [ownPlace(root)],
    banner: { js: BANNER },
  });
  for (const file of Object.keys(metafile.outputs)) {
    const path = join(root, file), depth = relative(out, path).split("/").length;
    await Deno.writeTextFile(
      path,
      (await Deno.readTextFile(path)).replace("__DEPTH__", String(depth)),
    );
  }
  await Promise.all(entryPoints.map((entry) => nameAsBefore(metafile, out, entry)));
  const packages = Object.keys(metafile.inputs).flatMap((file) =>
    /node_modules\/\.deno\/((?:@[^+]+\+)?[^@/]+@[^_/]+)/.exec(file)?.[1]?.replace("+", "/") ?? []
  );
  return [...new Set(packages)].sort();
}

/**
 * The code refers to `./worker.ts`: a file of that name only exports `worker.js`, so that no
 * compiler
 * transforms the code again.
 */
async function nameAsBefore(metafile: esbuild.Metafile, out: string, entry: string): Promise<void> {
  const script = entry.replace(/\.tsx?$/, ".js");
  const output = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint === entry
  );
  if (!output) throw new Error(`Cannot bundle ${entry}: nothing came of it`);
  const name = `./${script.split("/").pop()}`, { exports } = output[1];
  const text = exports.length === 0
    ? `import ${JSON.stringify(name)};\n`
    : `export { ${exports.join(", ")} } from ${JSON.stringify(name)};\n`;
  await Deno.writeTextFile(join(out, entry), text);
}
