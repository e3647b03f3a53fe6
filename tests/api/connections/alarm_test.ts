// covers: S-120
// A queue that stands is told to a web address, once, and that it flows again.
import assert from "node:assert/strict";
import {
  getConnections,
  getRouting,
  savePeer,
  saveRouting,
} from "@/client/api/connections/connections.ts";
import { alarm } from "@/server/core/connections/service/alarm.ts";
import { connectionMetrics } from "@/server/core/connections/service/connection_metrics.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import type { GateTask } from "@/server/gate/link/tasks.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

Deno.test("a queue that stands is told once, again when nobody took it, and when it flows", () =>
  withCore(async ({ api, dataDir }) => {
    const db = await openBeside(dataDir), told: unknown[] = [];
    let status = 503;
    const ask = (task: GateTask) => {
      assert.ok(
        task.kind === "http" && task.method === "POST" && task.url === "http://alarms.test/",
      );
      told.push(JSON.parse(task.body as string));
      return Promise.resolve({ status, body: "" });
    };
    const services = {
      db,
      gate: { ask, aeTitle: "SULCUS", inbox: dataDir },
    } as unknown as ServiceContext;
    await addStudies(dataDir, 1);
    const webhook = "http://alarms.test/";
    await saveRouting(api, { ...await getRouting(api), webhook, alarm_minutes: 30 });
    const config = { ae_title: "PACS", host: "127.0.0.1", port: 1 };
    const peerId = await savePeer(api, null, { name: "PACS", kind: "dicom", config });
    const queueAt = (minutesAgo: number) =>
      insertOutbox(
        db,
        [{ peerId, pid: 1, run: String(minutesAgo), kind: "report" }],
        new Date(Date.now() - 60_000 * minutesAgo).toISOString(),
      );
    const standing = async () =>
      (await connectionMetrics(services)).find(({ metric }) =>
        metric.name === "sulcus_connection_queues_standing"
      )?.value;
    await queueAt(20);
    await alarm(services);
    assert.deepEqual([told, await standing()], [[], 0]);
    await queueAt(40);
    const begun = { event: "queue_standing", queues: ["outbox"] };
    await alarm(services);
    status = 204;
    for (let look = 0; look < 3; look++) await alarm(services);
    assert.deepEqual([told, await standing()], [[begun, begun], 1]);
    await db.updateTable("outbox").set({ state: "sent" }).execute();
    for (let look = 0; look < 2; look++) await alarm(services);
    assert.deepEqual(told.slice(2), [{ event: "queue_flowing", queues: [] }]);
    // queued before the clock was set back: for how long it has waited is not known
    await queueAt(-120);
    await alarm(services);
    assert.deepEqual(told.slice(3), [begun]);
    const { log } = await getConnections(api);
    assert.ok(
      log.some(({ event, is_error, details }) =>
        event === "alarm" && is_error && details.standing === "outbox"
      ),
    );
    await db.destroy();
  }));
