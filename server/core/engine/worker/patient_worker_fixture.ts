/// <reference lib="deno.worker" />
/** A worker for tests: its stages take long by the clock and hardly any processor, as on a machine that is loaded. */
import { serve } from "@/server/core/engine/worker/serve.ts";

const nap = new Int32Array(new SharedArrayBuffer(4));

serve((_request, report) => {
  for (let stage = 0; stage < 5; stage++) {
    report(10 * stage, `stage ${stage}`);
    Atomics.wait(nap, 0, 0, 800);
  }
  return {
    kind: "failed",
    code: "engine.unsupported_input",
    reason: "empty",
    message: "all stages are over",
  };
});
