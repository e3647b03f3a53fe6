import { initSync } from "@/wasm/pkg/reading/bind_reading.js";

let memory: WebAssembly.Memory | null = null;

/** Makes the image work of reading ready for this page, once; what uses it is called after this. @returns its memory. */
export function startReading(module: WebAssembly.Module): WebAssembly.Memory {
  return memory ??= initSync({ module }).memory;
}
