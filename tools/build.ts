// Builds the browser's files into static/build: islands (esbuild), stylesheet (Twind), workers and
// WASM, each with a content hash in its name and compressed copies beside it. deno task build
// [--dev] [--if-changed]
import * as esbuild from "esbuild";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Manifest } from "@/server/edge/pages/manifest.ts";
import { reglCsp } from "@/tools/pages/regl_csp.ts";
import { filesUnder, PAGE_FOLDERS } from "@/tools/pages/source_files.ts";
import { chunksOf, needsGpu } from "@/tools/pages/bundle_graph.ts";
import { compressUnder } from "@/tools/pages/compress.ts";
import { buildStylesheet } from "@/tools/pages/stylesheet.ts";
import { viewerAssets } from "@/tools/pages/viewer_assets.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url)).replace(/\/$/, "");
const FINAL = `${ROOT}/static/build`;
/**
 * Temporary output folder, which replaces the old one at the end, as a site may be starting
 * meanwhile.
 */
const OUT = `${FINAL}_${Deno.pid}`;
const PUBLIC_PATH = "/static/build";
/** Source folders of the browser's files; a change in one of them requires a new build. */
const SOURCES = [
  ...PAGE_FOLDERS,
  "client",
  "model",
  "report",
  "static/css",
  "static/logo.png",
  "tools/build.ts",
  "tools/pages/bundle_graph.ts",
  "tools/pages/compress.ts",
  "tools/pages/stylesheet.ts",
  "tools/pages/source_files.ts",
  "tools/pages/regl_csp.ts",
  "tools/pages/viewer_assets.ts",
  "wasm/pkg/kernels",
  "wasm/pkg/reading",
  "wasm/kernels/src",
  "package.json",
];

/** Option of a site's start: builds only after a change of the sources, and lists no sizes. */
const isStart = Deno.args.includes("--if-changed");
const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
const list = (text: string) => void (isStart || say(text));

/** Hash of the names and contents of all source files. */
async function sourceHash(isDev: boolean): Promise<string> {
  const hash = createHash("sha256").update(isDev ? "dev" : "production");
  const files =
    (await Promise.all(SOURCES.map((path) => Array.fromAsync(filesUnder(`${ROOT}/${path}`)))))
      .flat();
  for (const file of files.filter((name) => !/_test\.tsx?$/.test(name)).sort()) {
    hash.update(file.slice(ROOT.length)).update(await Deno.readFile(file));
  }
  return hash.digest("hex");
}

/** Islands on every page: bundled with the client, which compresses better than separate files. */
const EVERYWHERE = ["Notices"];

/**
 * Small components used by nearly every page: bundled with the client instead of separate files.
 */
const SHARED = [
  "components/dialog/Dialog.tsx",
  "components/page/lazy_part.ts",
  "model/text/account/session.ts",
  "model/text/analysis_failed.ts",
  "model/text/worklist/actions.ts",
  "model/text/worklist/refusals.ts",
];

/** Islands of pages for developers of the product. */
const DEV_ISLANDS = ["NoticeGallery"];

/** Islands by name, each loaded on the pages that contain it. */
const islandRegistry = (names: string[]): esbuild.Plugin => ({
  name: "islands",
  setup(build) {
    const imports = [
      ...EVERYWHERE.map((name) => `import * as ${name} from "./islands/${name}.tsx";\n`),
      ...SHARED.map((file) => `import "@/${file}";\n`),
    ];
    const entries = names.map((name) =>
      EVERYWHERE.includes(name)
        ? `${name}: () => Promise.resolve(${name})`
        : `${name}: () => import("./islands/${name}.tsx")`
    );
    build.onResolve(
      { filter: /^virtual:islands$/ },
      () => ({ path: "islands", namespace: "virtual" }),
    );
    build.onLoad({ filter: /.*/, namespace: "virtual" }, () => ({
      resolveDir: ROOT,
      loader: "ts",
      contents: `${imports.join("")}export default { ${entries.join(", ")} };`,
    }));
  },
});

/** Parts of the viewer that load automatically after the viewer itself. */
const LATER = [
  "islands/SurfacePane.tsx",
  "components/header/viewer_tools.tsx",
  "viewer/panels/side_panel.tsx",
  "viewer/panels/tools.tsx",
];

async function writeHashed(stem: string, extension: string, bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8).toUpperCase();
  const name = `${stem}-${hash}.${extension}`;
  await Deno.writeFile(`${OUT}/${name}`, bytes);
  return `${PUBLIC_PATH}/${name}`;
}

/** Files that the build has made for the pages: paths, names and imports. */
interface Bundle {
  outputs: esbuild.Metafile["outputs"];
  /** path of the client's output file */
  client: string;
  /** output files that an island loads immediately, by island name; includes the client's */
  chunks: Record<string, string[]>;
  /** output file that contains a source file */
  outputOf(entryPoint: string): string | undefined;
}

async function bundle(names: string[], isDev: boolean): Promise<Bundle> {
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: { client: "components/page/boot.tsx" },
    // makes every part load the client, so that esbuild puts all imports of the client into
    // one file instead of one file for each combination of parts
    inject: ["components/page/boot.tsx"],
    outdir: OUT,
    publicPath: PUBLIC_PATH,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    // keeps Korean text unescaped: an escape takes six characters for each letter
    charset: "utf8",
    // writes licence texts to separate files, which browsers do not load
    legalComments: "external",
    jsx: "automatic",
    minify: !isDev,
    sourcemap: isDev,
    metafile: true,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    logLevel: "warning",
    // replaced by React's own version of this store, part of React since version 18
    alias: { "@": ROOT, "use-sync-external-store/shim/index.js": "react" },
    define: { "process.env.NODE_ENV": isDev ? '"development"' : '"production"' },
    plugins: [
      islandRegistry(names),
      reglCsp(),
      viewerAssets({ root: ROOT, outDir: OUT, publicPath: PUBLIC_PATH, minify: !isDev }),
    ],
  });
  const { outputs } = metafile;
  const outputOf = (entryPoint: string) =>
    Object.keys(outputs).find((file) => outputs[file]!.entryPoint === entryPoint);
  const client = outputOf("components/page/boot.tsx")!;
  const chunks = Object.fromEntries(
    names.map((name) => [name, chunksOf(outputs, outputOf(`islands/${name}.tsx`) ?? client)]),
  );
  return { outputs, client, chunks, outputOf };
}

/** The script that loads the client. */
async function earlyScript(isDev: boolean): Promise<Uint8Array> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ["client/page/start_after_paint.ts"],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    minify: !isDev,
    alias: { "@": ROOT },
  });
  return outputFiles[0]!.contents;
}

async function build(isDev: boolean): Promise<void> {
  await Deno.mkdir(OUT, { recursive: true });
  const names = (await Array.fromAsync(Deno.readDir(`${ROOT}/islands`))).map((entry) => entry.name)
    .filter((name) => /^[A-Z]\w*\.tsx$/.test(name)).map((name) => name.slice(0, -".tsx".length))
    .filter((name) => isDev || !DEV_ISLANDS.includes(name));
  const address = (file: string) => `${PUBLIC_PATH}/${file.split("/").pop()}`;
  const bundled = await bundle(names, isDev), { outputs, client, chunks } = bundled;
  const manifest: Manifest = {
    ...(isDev ? { isDev } : {}),
    stylesheet: await writeHashed(
      "style",
      "css",
      new TextEncoder().encode(await buildStylesheet(ROOT)),
    ),
    // a data URL: Chromium loads and draws an icon again whenever a page gives another address
    icon: `data:image/png;base64,${(await Deno.readFile(`${ROOT}/static/logo.png`)).toBase64()}`,
    early: await writeHashed("early", "js", await earlyScript(isDev)),
    scripts: {
      client: address(client),
      islands: Object.fromEntries(
        names.map((name) =>
          [name, chunksOf(outputs, client).slice(1).concat(chunks[name]!)] as const
        )
          .map(([name, files]) => [name, [...new Set(files)].map(address)]),
      ),
    },
  };
  const sizes = await compressUnder(OUT);
  await Deno.writeTextFile(`${OUT}/manifest.json`, JSON.stringify(manifest, null, 2));
  list(`  stylesheet       ${printed(kilobytes(sizes, [manifest.stylesheet]))}`);
  checkBudgets(sizesOf(bundled, sizes), isDev);
}

const printed = (size: number) => size.toFixed(1).padStart(7) + " kB gz";
const kilobytes = (sizes: Map<string, number>, files: string[]) =>
  [...new Set(files)].reduce((sum, file) => sum + (sizes.get(file.split("/").pop()!) ?? 0), 0) /
  1000;

/**
 * Sizes with a budget, in kB compressed; lists the size of each island together with the client.
 */
function sizesOf(
  { outputs, client, chunks, outputOf }: Bundle,
  sizes: Map<string, number>,
): Record<keyof typeof BUDGETS_KB, number> {
  const size = (files: string[]) => kilobytes(sizes, files), written = [...sizes.keys()];
  const everywhere = [
    ...written.filter((file) => /^early-\w+\.js$/.test(file)),
    ...chunksOf(outputs, client),
    ...["HeaderBar", "Notices"].flatMap((name) => chunks[name]!),
  ];
  for (const [name, files] of Object.entries(chunks)) {
    list(`  ${name.padEnd(16)} ${printed(size([...everywhere, ...files]))} with the client`);
  }
  const inViewer = [
    ...["SliceViewer", "SurfacePane"].flatMap((name) => chunks[name]!),
    ...LATER.flatMap((file) => chunksOf(outputs, outputOf(file)!)),
    ...written.filter((file) => /^kernels(_worker-\w+\.js|-\w+\.wasm)$/.test(file)),
  ];
  const gpuChunks = Object.keys(outputs).filter((file) =>
    file.endsWith(".js") && needsGpu(outputs, file) && !everywhere.includes(file) &&
    !inViewer.includes(file)
  );
  return {
    worklist: size([...everywhere, ...chunks.Worklist!]),
    viewer: size([...everywhere, ...inViewer]),
    gpu: size(gpuChunks),
  };
}

/**
 * Size budgets of a page's JavaScript and WebAssembly,
 * kB compressed: the worklist until it is usable;
 * the viewer with all parts that load automatically without a GPU; the extra chunks for a GPU.
 */
const BUDGETS_KB = { worklist: 170, viewer: 240, gpu: 36 };

/** Lists each size with its budget. @throws Error if a production build exceeds a budget. */
function checkBudgets(sizes: Record<keyof typeof BUDGETS_KB, number>, isDev: boolean): void {
  for (const name of Object.keys(BUDGETS_KB) as (keyof typeof BUDGETS_KB)[]) {
    const most = BUDGETS_KB[name];
    const text = `${sizes[name].toFixed(1)} of ${most} kB gz`;
    list(`  budget ${name.padEnd(9)} ${text}`);
    if (!isDev && !(sizes[name] > 0 && sizes[name] <= most)) {
      throw new Error(`Cannot ship this build: ${name} has ${text}`);
    }
  }
}

/** Replaces the previous build by the new one. */
async function replaceBuild(): Promise<void> {
  const old = `${OUT}_old`;
  await Deno.rename(FINAL, old).catch(() => {/* nothing was built before */});
  await Deno.rename(OUT, FINAL);
  await Deno.remove(old, { recursive: true }).catch(() => {/* see above */});
}

const isDev = Deno.args.includes("--dev"), hash = await sourceHash(isDev);
const built = await Deno.readTextFile(`${FINAL}/source_hash`).catch(() => "");
if (!isStart || built !== hash) {
  const start = performance.now();
  say("Building the pages");
  try {
    await build(isDev);
    await Deno.writeTextFile(`${OUT}/source_hash`, hash);
    await replaceBuild();
  } finally {
    await Deno.remove(OUT, { recursive: true }).catch(() => {/* it is in its place */});
    await esbuild.stop();
  }
  list(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
