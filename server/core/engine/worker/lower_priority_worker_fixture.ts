/// <reference lib="deno.worker" />
import { getPriority } from "node:os";
import { lowerPriority, threadId } from "@/server/core/engine/worker/lower_priority.ts";

const id = threadId()!, before = getPriority(id);
lowerPriority();
self.postMessage({ id, before, after: getPriority(id) });
