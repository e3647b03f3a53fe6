import { initSync } from "@/wasm/pkg/reading/bind_reading.js";

let memory: WebAssembly.Memory | null = null;

/**
 * Starts the kernels of reading for this page, once; required before any of them. @returns their
 * memory.
 */
export function startReading(module: WebAssembly.Module): WebAssembly.Memory {
  return memory ??= initSync({ module }).memory;
}
