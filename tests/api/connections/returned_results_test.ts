// covers: S-120
// A PACS that forwards every series sends our own results back to us.
import assert from "node:assert/strict";
import {
  getConnections,
  getRouting,
  getSentResults,
  savePeer,
  saveRouting,
} from "@/client/api/connections/connections.ts";
import { listSeries } from "@/client/api/reading/series.ts";
import { deletePatient, listPatients } from "@/client/api/studies/patients.ts";
import { purgeStudy } from "@/client/api/studies/bin.ts";
import type { PeerConfig } from "@/model/schema/connections/connections.ts";
import { noteRoute, routedPeers } from "@/server/core/connections/service/inbox/routing.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";
import { LateGate, openArchive, sendFiles } from "@/tests/sites/connections/gate_site.ts";
import { until } from "@/tests/sites/until.ts";

const RESULTS: PeerConfig["results"] = ["report", "measurements", "regions", "lesions"];

Deno.test("results that come back from a PACS change nothing and are not sent again", () => {
  const gate = new LateGate();
  return withCore(async (test) => {
    const { api, dataDir } = test, { port } = await gate.open(dataDir);
    const archive = await openArchive("PACS", ["SULCUS"]), db = await openBeside(dataDir);
    try {
      const config = {
        ...{ ae_title: "PACS", host: "127.0.0.1", port: archive.gate.port, may_send: true },
        ...{ results: RESULTS, by_rule: true },
      };
      const pacsId = await savePeer(api, null, { name: "PACS", kind: "dicom", config });
      await saveRouting(api, { ...await getRouting(api), quiet_seconds: 1 });
      await until(async () => await sendFiles(port, "PACS", []).then(() => true, () => false));
      const pid = await analysedPhantom(test, studyFiles());
      await noteRoute(db, pid, "SCANNER", [pacsId]);
      await db.transaction().execute((tx) => queueResults(tx, pid));
      const sent = await until(async () => {
        const { results } = await getSentResults(api, pid);
        return results.length === RESULTS.length && results.every(({ state }) => state === "sent")
          ? results.length
          : null;
      });
      const objects = archive.files().map((path) => ({ bytes: Deno.readFileSync(path) }));
      assert.equal(objects.length, RESULTS.length);
      const state = async () => ({
        analyses: await db.selectFrom("analyses").select(["id", "status"]).orderBy("id").execute(),
        results: (await getSentResults(api, pid)).results.length,
        series: await listSeries(api, pid),
        route: (await routedPeers(db, [pid]))(pid),
        settings: await db.selectFrom("settings").selectAll().execute(),
        total: (await listPatients(api, {})).total,
      });
      const before = await state();
      assert.equal(before.results, sent);
      for (const times of [1, 2]) {
        assert.deepEqual(new Set(await sendFiles(port, "PACS", objects)), new Set([0]));
        const arrivals = await until(async () => {
          const { arrivals } = await getConnections(api);
          return arrivals.length > 0 && arrivals.every(({ state }) => state === "refused") &&
              arrivals.reduce((sum, { instances }) => sum + instances, 0) === times * objects.length
            ? arrivals
            : null;
        });
        assert.deepEqual(new Set(arrivals.map(({ reason }) => reason)), new Set(["own_result"]));
        assert.deepEqual(await state(), before);
      }
      // the study is gone, and its results still come
      await deletePatient(api, pid);
      await purgeStudy(api, pid);
      await sendFiles(port, "PACS", objects);
      await until(async () => {
        const { arrivals } = await getConnections(api);
        return arrivals.reduce((sum, { instances }) => sum + instances, 0) ===
            3 * objects.length && arrivals.every(({ state }) => state === "refused");
      });
      assert.equal((await listPatients(api, {})).total, 0);
    } finally {
      await db.destroy();
      await archive.close();
      await gate.close();
    }
  }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
});

Deno.test("de-identified images that come back are no new study, those of another site are", () => {
  const gate = new LateGate();
  return withCore(async (test) => {
    const { api, dataDir } = test, { port } = await gate.open(dataDir);
    const archive = await openArchive("RESEARCH", ["SULCUS"]), db = await openBeside(dataDir);
    try {
      const config = {
        ...{ ae_title: "RESEARCH", host: "127.0.0.1", port: archive.gate.port, may_send: true },
        ...{ results: ["images"] as PeerConfig["results"], research: true },
      };
      await savePeer(api, null, { name: "Research", kind: "dicom", config });
      await saveRouting(api, { ...await getRouting(api), quiet_seconds: 1 });
      await until(async () => await sendFiles(port, "RESEARCH", []).then(() => true, () => false));
      const pid = await analysedPhantom(test, studyFiles());
      await db.transaction().execute((tx) => queueResults(tx, pid));
      await until(async () => {
        const { results } = await getSentResults(api, pid);
        return results.length === 1 && results[0]!.state === "sent";
      });
      const images = archive.files().map((path) => ({ bytes: Deno.readFileSync(path) }));
      const bySite = { scope: "site", key: "deidentification_key" };
      for (const [key, state] of [[null, "refused"], ["00".repeat(32), "stored"]] as const) {
        // another site has another key
        if (key !== null) {
          await db.updateTable("settings").set({ value: JSON.stringify(key) })
            .where("scope", "=", bySite.scope).where("key", "=", bySite.key).execute();
        }
        assert.deepEqual(new Set(await sendFiles(port, "RESEARCH", images)), new Set([0]));
        await until(async () => {
          const { arrivals } = await getConnections(api);
          return arrivals.length === 2 && arrivals.every((one) => one.state === state);
        });
        const { total } = await listPatients(api, {});
        assert.equal(total, state === "stored" ? 2 : 1);
      }
    } finally {
      await db.destroy();
      await archive.close();
      await gate.close();
    }
  }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
});
