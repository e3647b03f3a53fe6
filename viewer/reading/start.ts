import { initSync } from "@/wasm/pkg/reading/bind_reading.js";

let isStarted = false;

/** Makes the image work of reading ready for this page, once; what uses it is called after this. */
export function startReading(module: WebAssembly.Module): void {
  if (!isStarted) initSync({ module });
  isStarted = true;
}
