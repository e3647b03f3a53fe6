// covers: S-128
import assert from "node:assert/strict";
import { checkPeers } from "@/server/commands/doctor/peers.ts";
import { readEnvironment } from "@/server/commands/start/environment.ts";
import { writePeer } from "@/server/core/connections/storage/peers.ts";
import { createCore } from "@/server/core/mod.ts";
import { openBeside } from "@/tests/sites/core_site.ts";

Deno.test("doctor: a system without an address only sends here, and is not called", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-doctor-" });
  await (await createCore({ dataDir, workers: 0 })).close();
  const read = readEnvironment({ SULCUS_DATA_DIR: dataDir }, 1);
  assert.ok("environment" in read);
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), { port } = listener.addr;
  listener.close();
  const db = await openBeside(dataDir);
  const add = (name: string, kind: "dicom" | "hl7", config: object) =>
    writePeer(db, null, { name, kind, config, secret: null }, "2026-01-06T00:00:00Z");
  try {
    await add("Scanner", "dicom", { ae_title: "SCANNER" });
    await add("HIS", "hl7", {});
    assert.deepEqual(await checkPeers(read.environment), []);
    await add("PACS", "dicom", { ae_title: "PACS", host: "127.0.0.1", port });
    const [found, ...others] = await checkPeers(read.environment);
    assert.deepEqual([found?.name, found?.state, others.length], ["PACS", "bad", 0]);
  } finally {
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
});
