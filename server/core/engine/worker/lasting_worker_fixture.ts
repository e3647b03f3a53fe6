/// <reference lib="deno.worker" />
/** A worker for tests: reports the same stage again and again, as an analysis that takes long. */
import { serve } from "@/server/core/engine/worker/serve.ts";

const nap = new Int32Array(new SharedArrayBuffer(4));

serve((_request, report) => {
  for (;;) {
    report(12, "register");
    Atomics.wait(nap, 0, 0, 50);
  }
});
