/// <reference lib="deno.worker" />
/** A worker for tests: begins a stage, then computes for ever, as one that hangs. */
import { serve } from "@/server/core/engine/worker/serve.ts";

serve((_request, report) => {
  report(12, "register");
  for (;;);
});
