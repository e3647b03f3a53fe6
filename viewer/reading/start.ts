import { initSync } from "@/wasm/pkg/reading/bind_reading.js";

let memory: WebAssembly.Memory | null = null;

/**
 * Initialises the reading kernels of this page, once; required before calling the kernels.
 * @returns memory of the kernels.
 */
export function startReading(module: WebAssembly.Module): WebAssembly.Memory {
  return memory ??= initSync({ module }).memory;
}
