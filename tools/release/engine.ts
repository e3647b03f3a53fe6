// Builds the engine of this tree as a separate folder that later releases keep, for recomputing old
// results with the same engine.
import { createHash } from "node:crypto";
import { dirname, join, relative } from "node:path";
import { initSync, version } from "@/wasm/pkg/engine/bind_engine.js";
import { VERSION } from "@/server/core/site/service/status.ts";
import { type EngineList, LIST } from "@/server/commands/operate/kept_engines.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";
import { bundleEngine } from "@/tools/release/bundle.ts";

const MODULE = "wasm/pkg/engine/bind_engine_bg.wasm";
const READ = ["server/core/engine/atlas", "server/core/engine/models"];

/** Reads the version of a WebAssembly build. */
function engineVersion(wasm: Uint8Array<ArrayBuffer>): string {
  initSync({ module: new WebAssembly.Module(wasm) });
  return version();
}

/** Writes the file list of an engine folder. */
export async function listEngine(folder: string, version: string): Promise<void> {
  const files: Record<string, string> = {};
  for (const path of (await Array.fromAsync(filesUnder(folder))).sort()) {
    if (path.endsWith(`/${LIST}`)) continue;
    files[relative(folder, path)] = createHash("sha256").update(await Deno.readFile(path)).digest(
      "hex",
    );
  }
  const list: EngineList = {
    engine: `sulcus-engine ${version}`,
    product: VERSION,
    deno: Deno.version.deno,
    files,
  };
  await Deno.writeTextFile(join(folder, LIST), JSON.stringify(list, null, 1) + "\n");
}

/** Builds engine `VERSION` in the folder of kept engines. @returns path of the engine. */
export async function makeEngine(
  root: string,
  engines: string,
  unstable: readonly string[],
): Promise<string> {
  const wasm = await Deno.readFile(join(root, MODULE)), version = engineVersion(wasm);
  const out = join(engines, version);
  await bundleEngine(root, out);
  await Deno.mkdir(dirname(join(out, MODULE)), { recursive: true });
  await Deno.writeFile(join(out, MODULE), wasm);
  for (const folder of READ) {
    for await (const file of filesUnder(join(root, folder))) {
      if (file.endsWith(".md")) continue;
      const to = join(out, relative(root, file));
      await Deno.mkdir(dirname(to), { recursive: true });
      await Deno.copyFile(file, to);
    }
  }
  const config = { nodeModulesDir: "none", lock: false, unstable };
  await Deno.writeTextFile(join(out, "deno.json"), JSON.stringify(config) + "\n");
  await listEngine(out, version);
  return out;
}
