// The same Rust compiled for this machine: how much WASM costs.
import { addRow, type Kit } from "@/bench/kernel_kit.ts";

const MOST = 1.6;

/** Adds a row for every kernel that wasm/kernels/examples/native_times.rs has timed too; none without cargo. */
export function nativeRows(kit: Kit): void {
  let output: Deno.CommandOutput;
  try {
    output = new Deno.Command("cargo", {
      args: ["run", "--quiet", "--release", "--locked", "-p", "kernels", "--example", "native_times"],
      cwd: new URL("../wasm/", import.meta.url),
      stdout: "piped",
      stderr: "inherit",
    }).outputSync();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    addRow(kit, "native code: skipped, no cargo on this machine", 0, null, {});
    return;
  }
  if (!output.success) throw new Error("native_times failed");
  for (const line of new TextDecoder().decode(output.stdout).trim().split("\n")) {
    const [name, ms] = line.split("\t") as [string, string], wasmMs = kit.times.get(name);
    if (wasmMs !== undefined) addRow(kit, `${name}, against native`, wasmMs, Number(ms), { most: MOST });
  }
}
