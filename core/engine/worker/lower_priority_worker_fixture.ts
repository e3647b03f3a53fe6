/// <reference lib="deno.worker" />
import { getPriority } from "node:os";
import { giveWay, threadId } from "@/core/engine/worker/lower_priority.ts";

const id = threadId()!, before = getPriority(id);
giveWay();
self.postMessage({ id, before, after: getPriority(id) });
