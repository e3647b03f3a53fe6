import assert from "node:assert/strict";
import { liveCache } from "@/client/live/live_cache.ts";
import { queryClient } from "@/client/page/query.ts";

Deno.test("liveCache.apply() marks everything on the page as out of date after missed events", () => {
  const keys = [["labels"], ["license"], ["patients", "list", "page 1"], ["settings"]];
  for (const key of keys) queryClient.setQueryData(key, {});
  liveCache.apply({ event: "resync" });
  assert.deepEqual(
    keys.map((key) => queryClient.getQueryState(key)!.isInvalidated),
    keys.map(() => true),
  );
  queryClient.clear();
});
