// covers: S-120
import assert from "node:assert/strict";
import { runGateLoad } from "@/tests/sites/connections/gate_load.ts";

Deno.test("four senders, cut lines and a gate that is killed three times: nothing is lost, doubled or changed", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-load-" });
  try {
    const load = { studies: 24, instances: 10, senders: 4, kills: 3, seed: 5 };
    const { sent, lost, changed, doubled, kills } = await runGateLoad(folder, load);
    assert.deepEqual({ sent, lost, changed, doubled, kills }, {
      sent: 240,
      lost: 0,
      changed: 0,
      doubled: 0,
      kills: 3,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
