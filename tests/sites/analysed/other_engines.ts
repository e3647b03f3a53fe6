// Other engines: this tree's engine in the form of a release, and one with another constant and
// version.
import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { UNSTABLE } from "@/tools/release/folder.ts";
import { listEngine, makeEngine } from "@/tools/release/engine.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const MODULE = "wasm/pkg/engine/bind_engine_bg.wasm";
/** Opcode of WebAssembly's `f32.const`, which four bytes of the value follow. */
const F32_CONST = 0x43;

/** Stores this tree's engine like a release, in a folder of kept engines. */
export async function keepEngine(engines: string): Promise<string> {
  try {
    return await makeEngine(ROOT, engines, UNSTABLE);
  } finally {
    await esbuild.stop();
  }
}

/** Replaces bytes by others of the same length. @throws unless they occur exactly once. */
function replaceOnce(bytes: Uint8Array, from: Uint8Array, to: Uint8Array, what: string): void {
  const at = bytes.keys().filter((n) => from.every((byte, k) => bytes[n + k] === byte)).toArray();
  assert.equal(
    at.length,
    1,
    `${what} stands ${at.length} times in the engine's module: choose another`,
  );
  bytes.set(to, at[0]!);
}

const f32 = (value: number) =>
  Uint8Array.of(F32_CONST, ...new Uint8Array(Float32Array.of(value).buffer));

/**
 * A copy of a kept engine with another version and `WHITE_FRACTION`
 * (wasm/analysis/src/thickness/mod.rs), the inner border of the cortex, which affects only
 * thickness.
 */
export async function changedEngine(kept: string): Promise<string> {
  const version = basename(kept), last = Number(version.at(-1));
  const next = version.slice(0, -1) + (last === 9 ? 8 : last + 1),
    out = join(dirname(dirname(kept)), "changed", next);
  await Deno.mkdir(dirname(out), { recursive: true });
  await new Deno.Command("cp", { args: ["-r", kept, out] }).output();
  const bytes = await Deno.readFile(join(out, MODULE)), text = new TextEncoder();
  replaceOnce(bytes, f32(0.65), f32(0.6), "WHITE_FRACTION");
  replaceOnce(bytes, text.encode(version), text.encode(next), "the version");
  await Deno.writeFile(join(out, MODULE), bytes);
  await listEngine(out, next);
  return out;
}

/** Runs `sulcus COMMAND …` on a site's data folder. */
export async function runSulcus(
  dataDir: string,
  ...args: string[]
): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "main.ts", ...args],
    cwd: ROOT,
    env: { SULCUS_DATA_DIR: dataDir },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, said: text(stdout) + text(stderr) };
}
