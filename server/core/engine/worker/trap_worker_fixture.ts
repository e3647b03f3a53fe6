/// <reference lib="deno.worker" />
/** A worker for tests: reports one stage, then runs into WebAssembly's `unreachable`, as a Rust panic does. */
import { serve } from "@/server/core/engine/worker/serve.ts";

/** (module (func (export "trap") unreachable)) */
// deno-fmt-ignore
const MODULE = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0,
  7, 8, 1, 4, 0x74, 0x72, 0x61, 0x70, 0, 0, 10, 5, 1, 3, 0, 0, 0x0b,
]);

serve((_request, report) => {
  report(12, "register");
  const instance = new WebAssembly.Instance(new WebAssembly.Module(MODULE));
  (instance.exports.trap as () => void)();
  throw new Error("the trap did not fire");
});
