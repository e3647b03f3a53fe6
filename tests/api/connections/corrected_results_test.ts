// covers: S-121, S-123
// What other systems get after a reader has corrected what they were sent.
import assert from "node:assert/strict";
import dicomParser, { type DataSet } from "dicom-parser";
import {
  getSentResults,
  removePeer,
  repeatResults,
  savePeer,
} from "@/client/api/connections/connections.ts";
import { addStroke, changeStrokes } from "@/client/api/reading/strokes.ts";
import { getPatientRow } from "@/client/api/studies/patients.ts";
import { affineFromRowMajor, applyAffine, invert } from "@/model/geometry.ts";
import { QUIET_MINUTES } from "@/model/report/corrected_results.ts";
import type { PeerConfig } from "@/model/schema/connections/connections.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { claimOutbox, outboxOf, releaseOutbox } from "@/server/core/connections/storage/outbox.ts";
import type { Database } from "@/server/core/database/database.ts";
import { coreTest, openBeside, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, BOXES, studyFiles, T1_RESULTS } from "@/tests/sites/dicom_study.ts";
import { addReadStudy, voxelAt } from "@/tests/sites/read_study.ts";
import { LateGate, openArchive } from "@/tests/sites/connections/gate_site.ts";
import { until } from "@/tests/sites/until.ts";

const DICOM = { ae_title: "PACS", host: "127.0.0.1", port: 104 };
const SR = "1.2.840.10008.5.1.4.1.1.88.22", PDF = "1.2.840.10008.5.1.4.1.1.104.1";
const SEG = "1.2.840.10008.5.1.4.1.1.66.4";

/** Ends the quiet time. */
const endQuiet = (db: Database) =>
  db.updateTable("outbox").set({ lease_ms: null }).where("state", "=", "waiting").execute();

coreTest(
  "a correction queues what it changes once, for whoever got it, and not at once",
  async (site) => {
    const { api, dataDir } = site,
      pid = await addReadStudy(dataDir),
      db = await openBeside(dataDir);
    try {
      let row = 0;
      const paint = () =>
        addStroke(api, pid, { series: "t1", runs: [voxelAt(24, 20 + row++, 16), 5], value: 0 });
      const listed = async () =>
        (await outboxOf(db, pid)).map(({ peerId, kind, state }) => `${peerId} ${kind} ${state}`)
          .toSorted();
      const set = (
        kind: string,
        values: { state: "sent" | "failed"; sent_at?: string; instances?: string },
      ) =>
        db.updateTable("outbox").set({ owner: null, ...values }).where("kind", "=", kind).execute();
      const kinds: PeerConfig["results"] = [
        "report",
        "measurements",
        "regions",
        "lesions",
        "key_images",
      ];
      await paint();
      assert.deepEqual(await listed(), [], "there is nobody to send to");
      const peerId = await savePeer(api, null, {
        name: "PACS",
        kind: "dicom",
        config: { ...DICOM, results: kinds },
      });
      await paint();
      assert.deepEqual(await listed(), [], "nothing was sent");

      await db.transaction().execute((tx) => queueResults(tx, pid));
      const sent = { state: "sent" as const, sent_at: "2026-01-06T10:00:00.000Z" };
      const uid = (n: number) =>
        JSON.stringify([{ sopClassUid: SR, sopInstanceUid: `1.${n}`, seriesUid: "1" }]);
      await set("report", { ...sent, instances: uid(1) });
      await set("measurements", { state: "failed" });
      await set("lesions", { ...sent, instances: uid(2) });
      const before = Date.now(),
        queued = [
          `${peerId} key_images waiting`,
          `${peerId} lesions sent`,
          `${peerId} measurements failed`,
          `${peerId} measurements waiting`,
          `${peerId} regions waiting`,
          `${peerId} report sent`,
          `${peerId} report waiting`,
        ];
      for (let n = 0; n < 3; n++) await paint();
      await changeStrokes(api, pid, "t1", "undo");
      assert.deepEqual(await listed(), queued, "one of each, however many strokes there were");
      assert.equal((await getPatientRow(api, pid)).sent, "waiting");
      const leases = async () =>
        (await db.selectFrom("outbox").select(["kind", "lease_ms"]).where("state", "=", "waiting")
          .orderBy("kind").execute()).map(({ kind, lease_ms }) => [kind, lease_ms] as const);
      for (const [kind, lease] of await leases()) {
        if (kind === "key_images") assert.equal(lease, null, "it is what it was");
        else {
          const quietMs = 60_000 * QUIET_MINUTES;
          assert.ok(lease! >= before + quietMs && lease! <= Date.now() + quietMs, kind);
        }
      }
      // what was to be sent once more is sent as it is now; that it was sent stays
      await db.updateTable("outbox").set({ state: "waiting" }).where("kind", "=", "report")
        .execute();
      await changeStrokes(api, pid, "t1", "restore");
      assert.deepEqual(await listed(), queued);
      assert.deepEqual(
        (await outboxOf(db, pid)).filter(({ kind }) => kind === "report").map(({ instances }) =>
          instances.length
        ),
        [1, 0],
      );
      // the other series changes what is made of both, and its own
      await addStroke(api, pid, { series: "t2", runs: [voxelAt(30, 10, 10), 4], value: 0 });
      assert.deepEqual(await listed(), [...queued, `${peerId} lesions waiting`].toSorted());
      // asked for by hand, the result of now goes, and at once
      const [old] = (await outboxOf(db, pid)).filter(({ state }) => state === "failed");
      await repeatResults(api, [old!.id]);
      assert.deepEqual(
        (await leases()).filter(([, lease]) => lease === null).map(([kind]) => kind),
        [
          "key_images",
          "measurements",
        ],
      );
      assert.equal((await listed()).length, queued.length + 1);
      // another server is still sending what was: this one lets it arrive first
      await endQuiet(db);
      await db.updateTable("outbox").set({
        state: "sending",
        owner: "another",
        lease_ms: Date.now() + 60_000,
      })
        .where("kind", "=", "report").where("state", "=", "sent").execute();
      const claim = () => claimOutbox(db, peerId, "own", Date.now(), 60_000),
        claimed: string[] = [];
      for (let one = await claim(); one; one = await claim()) claimed.push(one.kind);
      assert.deepEqual(claimed.toSorted(), ["key_images", "lesions", "measurements", "regions"]);
      await releaseOutbox(db, "another");
      assert.deepEqual((await claim())?.instances.length, 1);
    } finally {
      await db.destroy();
    }
  },
);

Deno.test("archive, EHR and FHIR server get each state of a correction, and nothing that it has overtaken", () => {
  const gate = new LateGate();
  /** held where the gate is asked to store */
  let held: { reached: PromiseWithResolvers<void>; go: PromiseWithResolvers<void> } | null = null;
  const { open } = Deno;
  const messages: string[][][] = [];
  const ask: typeof gate.ask = async (task, signal) => {
    if (task.kind === "mllp") {
      messages.push(task.message.split("\r").map((segment) => segment.split("|")));
      return { body: "MSH|^~\\&|EHR\rMSA|AA|1\r" };
    }
    if (task.kind === "store" && held) {
      held.reached.resolve();
      await held.go.promise;
    }
    return await gate.ask(task, signal);
  };
  return withCore(async (test) => {
    const { api, dataDir } = test, reports: { condition: string; status: string }[] = [];
    await gate.open(dataDir);
    const archive = await openArchive("PACS", ["SULCUS"]), db = await openBeside(dataDir);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        const { status } = await request.json();
        reports.push({ condition: request.headers.get("if-none-exist")!, status });
        return new Response("{}", { status: 201 });
      },
    );
    try {
      const pid = await analysedPhantom(test, studyFiles());
      const pacs = (results: PeerConfig["results"]) =>
        ({
          name: "PACS",
          kind: "dicom",
          config: { ...DICOM, port: archive.gate.port, results },
        }) as const;
      const pacsId = await savePeer(
        api,
        null,
        pacs(["report", "measurements", "regions", "lesions"]),
      );
      const others = [
        await savePeer(api, null, {
          name: "EHR",
          kind: "hl7",
          config: { host: "127.0.0.1", port: 2575, results: ["hl7"] },
        }),
        await savePeer(api, null, {
          name: "FHIR",
          kind: "fhir",
          config: { url: `http://127.0.0.1:${server.addr.port}`, results: ["fhir"] },
        }),
      ];
      const known = new Set<string>();
      /** What the archive has got since this was last asked. */
      const fresh = () => {
        const paths = archive.files().filter((path) => !known.has(path));
        for (const path of paths) known.add(path);
        return new Map(paths.map((path) => {
          const one = dicomParser.parseDicom(Deno.readFileSync(path));
          return [`${one.string("x00080016")} ${one.string("x0008103e")}`, one];
        }));
      };
      const statesOf = async (kind: string) =>
        (await getSentResults(api, pid)).results.filter((one) => one.kind === kind).map((
          { state },
        ) => state);
      const allSent = () =>
        until(async () =>
          (await getSentResults(api, pid)).results.every(({ state }) => state === "sent")
        );
      const arrived = async () => {
        await allSent();
        return fresh();
      };
      const only = (objects: Map<string, DataSet>, sopClass: string) =>
        [...objects].find(([key]) => key.startsWith(sopClass))![1];
      const uidOf = (one: DataSet) => one.string("x00080018");
      const namedBy = (one: DataSet) => {
        const items = (of: DataSet, tag: string) =>
          (of.elements[tag]?.items ?? []).map(({ dataSet }) => dataSet!);
        const series = items(one, "x0040a360").flatMap((document) => items(document, "x00081115"));
        return [...items(one, "x0008114a"), ...series.flatMap((each) => items(each, "x00081199"))]
          .map((each) => each.string("x00081155"));
      };
      const names = (objects: Map<string, DataSet>, before: Map<string, DataSet>) => {
        for (const sopClass of [SR, SEG, ...objects.size > 2 ? [PDF] : []]) {
          assert.deepEqual(
            namedBy(only(objects, sopClass)),
            [uidOf(only(before, sopClass))],
            sopClass,
          );
        }
      };
      const volumes = () =>
        messages.map((message) =>
          message.find((segment) => segment[3]?.startsWith("Hippocampus, left"))![5]
        );
      const holds = (objects: Map<string, DataSet>, volume: string) =>
        new TextDecoder("latin1").decode(only(objects, SR).byteArray).includes(volume);
      const ijkFromRas = invert(affineFromRowMajor<"Ras", "Ijk">(T1_RESULTS.rasFromIjkRows));
      const corner = applyAffine(ijkFromRas, BOXES[19]!.centre).map(Math.round);
      const [nx, ny] = T1_RESULTS.shape as unknown as [number, number, number];
      const paint = (row: number) =>
        addStroke(api, pid, {
          series: "t1",
          runs: [corner[0]! + nx * (corner[1]! + row + ny * corner[2]!), 3],
          value: 0,
        });

      await db.transaction().execute((tx) => queueResults(tx, pid));
      const first = await arrived();
      assert.deepEqual([first.size, volumes()], [4, ["9.72"]]);
      assert.ok(holds(first, "9.72"));

      for (let row = 0; row < 3; row++) await paint(row);
      const { results } = await getSentResults(api, pid);
      assert.equal(results.filter(({ state }) => state === "waiting").length, 5);
      assert.deepEqual([archive.files().length, messages.length, reports.length], [4, 1, 1]);
      await endQuiet(db);
      const corrected = await arrived();
      // the lesions are what they were
      assert.equal(corrected.size, 3);
      names(corrected, first);
      assert.ok(holds(corrected, "9.48") && !holds(corrected, "9.72"));

      assert.deepEqual(volumes(), ["9.72", "9.48"]);
      const statuses = messages.map((message) => message.find(([name]) => name === "OBR")![25]);
      assert.deepEqual([statuses, reports.map(({ status }) => status)], [["P", "P"], [
        "preliminary",
        "preliminary",
      ]]);
      assert.notEqual(messages[0]![0]![9], messages[1]![0]![9], "another message");
      assert.notEqual(reports[0]!.condition, reports[1]!.condition, "it is not there already");

      // reports take their time, and are not to be sent any more from here on
      for (const id of others) await removePeer(api, id);
      await savePeer(api, pacsId, pacs(["measurements", "regions"]));
      // corrected while the measurements are on their way: those arrive, what waits behind it does not, and then comes what is true
      await changeStrokes(api, pid, "t1", "undo");
      const { reached, go } = held = {
        reached: Promise.withResolvers(),
        go: Promise.withResolvers(),
      };
      await endQuiet(db);
      await reached.promise;
      held = null;
      await changeStrokes(api, pid, "t1", "restore");
      go.resolve();
      await until(async () => (await statesOf("measurements")).join() === "waiting,sent,sent,sent");
      const between = fresh();
      assert.deepEqual([...between.values()].map(uidOf), [uidOf(only(between, SR))]);
      assert.ok(holds(between, "9.56"));
      await endQuiet(db);
      const back = await arrived();
      assert.equal(back.size, 2);
      names(back, new Map([...corrected, ...between]));
      assert.ok(holds(back, "9.72") && !holds(back, "9.48"));

      // corrected while objects are made: what is half of one state and half of another does not leave
      await paint(3);
      let isHooked = true;
      Object.assign(Deno, {
        open: async (...[path, options]: Parameters<typeof open>) => {
          if (isHooked && String(path).includes("/sent/")) {
            isHooked = false;
            await paint(4);
          }
          return await open(path, options);
        },
      });
      await endQuiet(db);
      await until(async () => !isHooked && !(await statesOf("measurements")).includes("sending"));
      assert.equal(fresh().size, 0);
      await endQuiet(db);
      const last = await arrived();
      assert.equal(last.size, 2);
      names(last, back);
      assert.ok(holds(last, "9.56"));

      // an entry of an earlier state that a sender has left behind goes nowhere
      const oldest = async () =>
        (await outboxOf(db, pid)).find(({ kind }) => kind === "measurements")!;
      const { id, attempts } = await oldest();
      await db.updateTable("outbox").set({ state: "waiting" }).where("id", "=", id).execute();
      await until(async () => (await oldest()).attempts > attempts);
      assert.equal((await arrived()).size, 0);
    } finally {
      Object.assign(Deno, { open });
      await db.destroy();
      await server.shutdown();
      await archive.close();
      await gate.close();
    }
  }, { gate: { ask, aeTitle: "SULCUS" } });
});
