/// <reference lib="deno.worker" />
/**
 * Helper thread of an analysis, which runs the engine's parallel tasks.
 * The thread shares the main worker's WebAssembly module and memory.
 */
import type { TeamMessage } from "@/server/core/engine/worker/messages.ts";
import { initSync, join_team } from "@/wasm/pkg/engine/bind_engine.js";
import { lowerPriority } from "@/server/core/engine/worker/lower_priority.ts";

lowerPriority();

self.onmessage = ({ data: port }: MessageEvent<MessagePort>) => {
  port.onmessage = ({ data }: MessageEvent<TeamMessage>) => {
    initSync(data);
    join_team();
    self.close();
  };
};
