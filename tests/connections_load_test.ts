// covers: S-120
import assert from "node:assert/strict";
import { runSiteLoad } from "@/tests/sites/connections/site_load.ts";

Deno.test("four senders, cut lines, a gate, a server and a PACS that are killed, and a full disk: nothing is lost, doubled or changed", async () => {
  const { seconds: _, cuts: __, delivered, ...result } = await runSiteLoad({
    studies: 8,
    senders: 4,
    rounds: 1,
    seed: 5,
  });
  const isWhole = result.without.length === 0;
  assert.deepEqual(result, {
    studies: 8,
    sent: 320,
    lost: 0,
    changed: 0,
    doubled: 0,
    undelivered: 0,
    blows: isWhole ? { gate: 1, server: 1, pacs: 1, disk: 1 } : result.blows,
    without: result.without,
  });
  if (isWhole) assert.equal(delivered, 320);
});
