// covers: S-243
// What a scanner or an archive sends of two patients at once, in one association.
import assert from "node:assert/strict";
import {
  getConnections,
  getRouting,
  savePeer,
  saveRouting,
} from "@/client/api/connections/connections.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { ANY_ROUTING_RULE, type PeerPut } from "@/model/schema/connections/connections.ts";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { LateGate, sendFiles } from "@/tests/sites/connections/gate_site.ts";
import { type PhantomFile, phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const ARCHIVE: PeerPut = {
  name: "Archive",
  kind: "dicom",
  config: { ae_title: "ARCHIVE", may_send: true, host: "127.0.0.1", port: 1 },
};

async function withGate(body: (test: TestCore & { port: number }) => Promise<void>) {
  const gate = new LateGate();
  await withCore(async (test) => {
    const { port } = await gate.open(test.dataDir);
    try {
      await savePeer(test.api, null, ARCHIVE);
      // nothing is analysed, because a study would wait for the end of its analysis
      const rules = [{ ...ANY_ROUTING_RULE, action: "keep" as const }];
      await saveRouting(test.api, { ...await getRouting(test.api), quiet_seconds: 1, rules });
      await until(async () => (await getConnections(test.api)).gate?.is_running);
      await until(async () => await sendFiles(port, "ARCHIVE", []).then(() => true, () => false));
      await body({ ...test, port });
    } finally {
      await gate.close();
    }
  }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
}

/** Files with texts in place of others of the same length. */
const replaced = (files: readonly PhantomFile[], texts: readonly (readonly [string, string])[]) =>
  files.map(({ fileName, bytes }) => {
    let text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    for (const [from, to] of texts) {
      assert.ok(text.includes(from) && from.length === to.length, from);
      text = text.replaceAll(from, to);
    }
    return { fileName, bytes: Uint8Array.from(text, (letter) => letter.charCodeAt(0)) };
  });

const shuffled = <T>(one: readonly T[], other: readonly T[]): T[] =>
  one.flatMap((each, at) => [each, other[at]!]);

const headerOf = ({ fileName, bytes }: PhantomFile) => readInstance(bytes, fileName);

/** A UID of the same length. */
const other = (uid: string) => uid.slice(0, -1) + (Number(uid.at(-1)) + 1) % 10;

/** The series that came, once none is still arriving. */
const settled = (api: Api, count: number) =>
  until(async () => {
    const { arrivals } = await getConnections(api);
    const isDone = arrivals.length === count &&
      arrivals.every(({ state }) => state === "stored" || state === "refused");
    return isDone ? arrivals : null;
  });

const rowsOf = async (api: Api) =>
  (await listPatients(api, {})).patients.map(({ patient_id }) => patient_id).sort();

Deno.test("two patients whose series share a number are two studies, each with its own slices", () =>
  withGate(async ({ api, port, dataDir }) => {
    const one = phantomSeries("short", "P-61"), { seriesUid } = headerOf(one[0]!);
    const two = phantomSeries("short", "P-62");
    const shared = replaced(two, [[headerOf(two[0]!).seriesUid, seriesUid]]);
    const answers = await sendFiles(port, "ARCHIVE", shuffled(one, shared));
    assert.deepEqual([...new Set(answers)], [0]);
    const arrivals = await settled(api, 2);
    assert.deepEqual(
      arrivals.map(({ state, instances, series_uid }) => [
        state,
        instances,
        series_uid,
      ]),
      Array(2).fill(["stored", one.length, seriesUid]),
    );
    assert.deepEqual(await rowsOf(api), ["P-61", "P-62"]);
    const db = await openBeside(dataDir);
    const counts = await db.selectFrom("instances as i").innerJoin(
      "patients as p",
      "p.pid",
      "i.pid",
    )
      .select((e) => ["p.patient_id", e.fn.countAll<number>().as("n")]).groupBy("p.patient_id")
      .orderBy("p.patient_id").execute();
    assert.deepEqual(counts.map(({ patient_id, n }) => [patient_id, Number(n)]), [
      ["P-61", one.length],
      ["P-62", one.length],
    ]);
    await db.destroy();
  }));

Deno.test("one study that names two patients is refused whole, and what a stored one has stays", () =>
  withGate(async ({ api, port }) => {
    const files = phantomSeries("short", "P-71"), half = files.length >> 1;
    const mixed = [...files.slice(0, half), ...replaced(files.slice(half), [["P-71", "P-79"]])];
    assert.deepEqual([...new Set(await sendFiles(port, "ARCHIVE", mixed))], [0]);
    const [refused] = await settled(api, 1);
    assert.deepEqual([refused!.state, refused!.reason?.split("/")[1]], [
      "refused",
      "mixed_patients",
    ]);
    assert.deepEqual(await rowsOf(api), []);
    // a whole study, and then a series of somebody else in it
    const whole = phantomSeries("short", "P-72"), { seriesUid } = headerOf(whole[0]!);
    assert.deepEqual([...new Set(await sendFiles(port, "ARCHIVE", whole))], [0]);
    await settled(api, 2);
    const foreign = replaced(whole, [["P-72", "P-78"], [seriesUid, other(seriesUid)]]).map((file) =>
      replaced([file], [[headerOf(file).instanceUid, other(headerOf(file).instanceUid)]])[0]!
    ).filter((file) =>
      !whole.some((own) => headerOf(own).instanceUid === headerOf(file).instanceUid)
    );
    assert.ok(foreign.length > 40);
    await sendFiles(port, "ARCHIVE", foreign);
    const arrivals = await settled(api, 3);
    assert.deepEqual(
      arrivals.filter(({ series_uid }) => series_uid === other(seriesUid)).map(({ state }) =>
        state
      ),
      ["refused"],
    );
    assert.deepEqual(await rowsOf(api), ["P-72"]);
  }));

Deno.test("objects of two studies with one identifier are each stored, or refused to the sender", () =>
  withGate(async ({ api, port, dataDir }) => {
    const one = phantomSeries("short", "P-81"), { studyUid } = headerOf(one[0]!);
    const copy = replaced(one, [["P-81", "P-82"], [studyUid, other(studyUid)]]);
    const both = shuffled(one, copy), taken = new Set<number>();
    await until(async () => {
      const rest = both.map((_, at) => at).filter((at) => !taken.has(at));
      const answers = await sendFiles(port, "ARCHIVE", rest.map((at) => both[at]!));
      for (const [n, at] of rest.entries()) if (answers[n] === 0) taken.add(at);
      return taken.size === both.length;
    });
    await settled(api, 2);
    await until(async () => (await rowsOf(api)).length === 2);
    const db = await openBeside(dataDir);
    await until(async () => {
      const counts = await db.selectFrom("instances").select("pid").execute();
      return counts.length === both.length;
    });
    await db.destroy();
    assert.deepEqual(await rowsOf(api), ["P-81", "P-82"]);
  }));
