import assert from "node:assert/strict";
import { savePeer } from "@/client/api/connections/connections.ts";
import { getDemo, loadDemo, removeDemo } from "@/client/api/site/demo.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { DEMO_LABEL } from "@/model/schema/site/demo.ts";
import { PEER_KINDS, RESULT_KINDS } from "@/model/schema/connections/connections.ts";
import { insertAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import {
  noteChanges,
  queueChange,
  queueCorrected,
  queuePending,
  queueResults,
  queueSigned,
} from "@/server/core/connections/service/result_queue.ts";
import { writePeer } from "@/server/core/connections/storage/peers.ts";
import { addDemoPids, isDemoPatient } from "@/server/core/site/service/demo_patients.ts";
import { grantCredits, setLicense } from "@/server/core/site/service/license_grant.ts";
import type { DemoSource, ServiceContext } from "@/server/core/site/service/context.ts";
import {
  insertPatient,
  setActiveSeries,
  setLatestAnalysis,
} from "@/server/core/studies/storage/patients.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { colleague, openBeside, withCore } from "@/tests/sites/core_site.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { addStudyWithFiles, newStudy } from "@/tests/sites/stored_studies.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const AT = "2026-01-06T00:00:00Z", BLOB = "0".repeat(64);

const demo: DemoSource = {
  count: 1,
  make: (place) =>
    Promise.resolve({
      files: phantomSeries("short", `SP-${place}`).map(({ fileName, bytes }) => ({
        fileName,
        bytes: new Uint8Array(bytes),
      })),
    }),
};

Deno.test("demo patients come by one press of an administrator, carry their label, and go by another", () =>
  withCore(async ({ api, open, dataDir }) => {
    const db = await openBeside(dataDir);
    await db.insertInto("settings").values({ scope: "user:1", key: "auto_analyze", value: "false" })
      .execute();
    await db.destroy();
    assert.deepEqual(await getDemo(api), {
      is_available: true,
      is_loading: false,
      loaded: 0,
      total: 1,
      pid_list: [],
      failure: null,
    });
    const other = await colleague(open, dataDir);
    assert.equal((await getDemo(other)).is_available, false);
    for (const call of [loadDemo, removeDemo]) {
      await assert.rejects(call(other), { code: "access.forbidden" });
    }
    const load = async () => {
      assert.equal((await loadDemo(api)).is_loading, true);
      // a second press changes nothing
      await loadDemo(api);
      await until(async () => !(await getDemo(api)).is_loading);
      return (await listPatients(api, {})).patients;
    };
    const patients = await load();
    assert.deepEqual(patients.map(({ patient_id }) => patient_id).sort(), ["SP-0"]);
    assert.ok(
      patients.every(({ label_list }) =>
        label_list.some((label) => label.label_name === DEMO_LABEL)
      ),
    );
    assert.deepEqual((await getDemo(api)).pid_list.length, 1);

    const { deleted } = await removeDemo(api);
    assert.equal(deleted.length, 1);
    assert.equal((await listPatients(api, {})).total, 0);
    assert.deepEqual((await getDemo(api)).pid_list, []);
    assert.equal((await load()).length, 1, "they can come again");
  }, { demo }));

Deno.test("what ends the loading of demo patients is told, and the rest can be loaded later", () =>
  withCore(async ({ api, dataDir }) => {
    const loaded = async () => {
      await loadDemo(api);
      await until(async () => !(await getDemo(api)).is_loading);
      const { failure, pid_list } = await getDemo(api);
      return { failure, n: pid_list.length };
    };
    const db = await openBeside(dataDir);
    try {
      await setLicense(db, { isCounted: true });
      assert.deepEqual(await loaded(), { failure: "credit.none", n: 0 });
      await grantCredits(db, 1);
      assert.deepEqual(await loaded(), { failure: "credit.none", n: 1 }, "one was paid for");
      await grantCredits(db, 1);
      // the first is being analysed
      assert.deepEqual(await loaded(), { failure: null, n: 2 });
      assert.equal((await listPatients(api, {})).total, 2);
    } finally {
      await db.destroy();
    }
  }, { demo: { ...demo, count: 2 } }));

// covers: S-121
Deno.test("results of demo patients are sent to no other system", () =>
  withCore(async ({ api, dataDir }) => {
    await savePeer(api, null, {
      name: "PACS",
      kind: "dicom",
      config: { ae_title: "PACS", host: "10.1.2.4", port: 104, results: ["report", "regions"] },
    });
    await loadDemo(api);
    await until(async () => !(await getDemo(api)).is_loading);
    const [demoPid] = (await getDemo(api)).pid_list, pid = await addStudyWithFiles(dataDir, "A");
    const db = await openBeside(dataDir);
    try {
      for (const each of [demoPid!, pid]) await queueResults(db, each);
      const rows = await db.selectFrom("outbox").select("pid").distinct().execute();
      assert.deepEqual(rows.map((row) => Number(row.pid)), [pid]);
    } finally {
      await db.destroy();
    }
  }, { demo }));

// covers: S-121
databaseTest(
  "no change of a demo patient queues a result, whatever system receives which kind",
  async (database) => {
    const db = await database.open();
    try {
      for (const [n, kind] of PEER_KINDS.entries()) {
        const config = { ae_title: "PACS", host: "10.1.2.4", port: 104, url: "http://10.1.2.4/" };
        await writePeer(db, null, {
          name: `System ${n}`,
          kind,
          config: { ...config, results: [...RESULT_KINDS] },
          secret: null,
        }, AT);
      }
      await insertBlobs(db, [{ hash: BLOB, sizeBytes: 0 }], AT);
      for (const n of [1, 2]) {
        const pid = await insertPatient(db, { ...newStudy(n), patientId: "P" }),
          seriesUid = `1.2.${n}`;
        const series = { pid, seriesUid, kind: "t1" as const, description: "", volumeBlob: BLOB };
        const seriesId = await insertSeries(db, { ...series, createdAt: AT });
        await setActiveSeries(db, pid, "t1", seriesId);
        const analysis = { pid, seriesId, kind: "t1" as const, parameters: {}, inputHashes: [] };
        const id = await insertAnalysis(db, { ...analysis, requestedAt: AT, requestedBy: null });
        await setLatestAnalysis(db, pid, "t1", id);
      }
      await addDemoPids(db, [1]);
      const ways: ((pid: number) => Promise<unknown>)[] = [
        (pid) => queueResults(db, pid),
        ...RESULT_KINDS.map((kind) => (pid: number) => queueResults(db, pid, kind)),
        (pid) => queueSigned(db, pid),
        (pid) => queueCorrected(db, pid, "t1"),
        (pid) => queueChange(db, pid, "patient"),
        (pid) => queueChange(db, pid, "norms"),
        (pid) => noteChanges(db, [pid], "norms"),
        () => queuePending({ db, publish: () => {} } as unknown as ServiceContext),
      ];
      for (const way of [...ways, ...ways.toReversed()]) {
        for (const pid of [1, 2]) await way(pid);
      }
      const rows = await db.selectFrom("outbox").select(["pid", "kind"]).distinct().execute();
      assert.deepEqual([...new Set(rows.map(({ pid }) => Number(pid)))], [2]);
      assert.deepEqual(rows.map(({ kind }) => kind).sort(), [...RESULT_KINDS].sort());
    } finally {
      await db.destroy();
    }
  },
);

Deno.test("a demo study that was deleted is still one after its restore and another loading", () =>
  withCore(async ({ dataDir }) => {
    const db = await openBeside(dataDir);
    // study 7 is not among the patients, as in the time between its deletion and its restore
    await addDemoPids(db, [7]);
    await addDemoPids(db, [8]);
    assert.deepEqual(
      await Promise.all([7, 8, 9].map((pid) => isDemoPatient(db, pid))),
      [true, true, false],
    );
    await db.destroy();
  }));
