// covers: S-121
// What an archive that is one of ours gets of an analysed study, by DIMSE, as each of its settings says.
import assert from "node:assert/strict";
import dicomParser, { type DataSet } from "dicom-parser";
import { getConnections, getSentResults, savePeer } from "@/client/api/connections/connections.ts";
import { getPatientRow } from "@/client/api/studies/patients.ts";
import { npyVoxels } from "@/server/core/analyses/service/files/npy.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";
import { encodePng } from "@/report/pdf/png.ts";
import { noPython, runPython } from "@/tests/sites/connections/python_peers.ts";
import { LateGate, openArchive } from "@/tests/sites/connections/gate_site.ts";
import { objectsOf, sendingTest } from "@/tests/sites/connections/sending_site.ts";
import { until } from "@/tests/sites/until.ts";

const PDF = "1.2.840.10008.5.1.4.1.1.104.1", CAPTURE = "1.2.840.10008.5.1.4.1.1.7";
const KEY_OBJECTS = "1.2.840.10008.5.1.4.1.1.88.59";
const BINARY = "1.2.840.10008.5.1.4.1.1.66.4", LABEL_MAP = "1.2.840.10008.5.1.4.1.1.66.7";
const DEFLATED = "1.2.840.10008.1.2.1.99";

/** Waits until everything of a study has been tried so often, and nothing waits. */
const ended = (api: TestCore["api"], pid: number, attempts: number) =>
  until(async () => {
    const { results } = await getSentResults(api, pid);
    return results.every((one) => one.attempts >= attempts && one.state === "sent");
  });

const items = (dataSet: DataSet, tag: string) =>
  (dataSet.elements[tag]?.items ?? []).map(({ dataSet: each }) => each!);

sendingTest(
  "an archive gets report pages as images, and segmentations as it takes them",
  async (test, send) => {
    const pid = await analysedPhantom(test, studyFiles());
    const plain = objectsOf(await send(pid, { results: ["report", "pages", "regions"] }));
    const pages = plain.get(CAPTURE)!, [pdf] = plain.get(PDF)!;
    assert.ok(pages.length > 2);
    assert.equal(new Set(pages.map((page) => page.string("x0020000e"))).size, 1, "one series");
    const numbers = pages.map((page) => page.intString("x00200013")!).sort((a, b) => a - b);
    assert.deepEqual(numbers, numbers.map((_, at) => at + 1));
    for (const page of pages) {
      const rows = page.uint16("x00280010")!, columns = page.uint16("x00280011")!;
      assert.equal(page.elements.x7fe00010!.length, 3 * rows * columns + 3 * rows * columns % 2);
      assert.deepEqual([page.string("x00280004"), page.string("x00280301")], ["RGB", "YES"]);
      for (const tag of ["x0020000d", "x00100020", "x00080050"]) {
        assert.equal(page.string(tag), pdf!.string(tag), tag);
      }
      const { dataOffset } = page.elements.x7fe00010!;
      const dark = page.byteArray.subarray(dataOffset, dataOffset + 3 * rows * columns)
        .filter((value) => value < 100).length;
      assert.ok(dark > 3000, "there is something on the page");
    }
    const [binary] = plain.get(BINARY)!;
    assert.deepEqual([binary!.string("x00620001"), binary!.uint16("x00280100")], ["BINARY", 1]);

    const modern = objectsOf(
      await send(pid, {
        results: ["regions", "measurements"],
        label_map: true,
        deflated: true,
      }),
    );
    const [map] = modern.get(LABEL_MAP)!;
    assert.equal(map!.string("x00020010"), DEFLATED);
    assert.deepEqual([map!.string("x00620001"), map!.uint16("x00280100")], ["LABELMAP", 8]);
    // the same voxels: of each segment as many as the binary one has bits
    const counts = new Map<number, number>(), { dataOffset, length } = map!.elements.x7fe00010!;
    for (const value of map!.byteArray.subarray(dataOffset, dataOffset + length)) {
      if (value > 0) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const bits = new Map<number, number>(),
      size = binary!.uint16("x00280010")! * binary!.uint16("x00280011")!;
    for (const [frame, group] of items(binary!, "x52009230").entries()) {
      const number = items(group, "x0062000a")[0]!.uint16("x0062000b")!;
      const from = binary!.elements.x7fe00010!.dataOffset;
      for (let bit = frame * size; bit < (frame + 1) * size; bit++) {
        if (binary!.byteArray[from + (bit >> 3)]! >> (bit & 7) & 1) {
          bits.set(number, (bits.get(number) ?? 0) + 1);
        }
      }
    }
    assert.deepEqual(
      [...counts].sort((a, b) => a[0] - b[0]),
      [...bits].sort((a, b) => a[0] - b[0]),
    );
    assert.deepEqual(items(map!, "x00620002").map((one) => one.uint16("x00620004")), [
      0,
      1,
      2,
      3,
      4,
    ]);
    // the report of measurements refers to the one that this archive has
    const [sr] = modern.get("1.2.840.10008.5.1.4.1.1.88.22")!;
    const text = new TextDecoder("latin1").decode(sr!.byteArray);
    assert.ok(
      text.includes(map!.string("x00080018")!) && !text.includes(binary!.string("x00080018")!),
    );
  },
);

sendingTest(
  "views that readers chose are sent as images, with a document that points at them",
  async (test, send) => {
    const { api } = test, pid = await analysedPhantom(test, studyFiles());
    const colours = Uint8Array.from({ length: 3 * 20 * 10 }, (_, v) => (v * 37) & 255);
    const choose = async (note: string, rgb: Uint8Array) => {
      const query = note ? `?note=${encodeURIComponent(note)}` : "";
      const answer = await api.send(
        new Request(`http://core/api/v1/patients/${pid}/key-images${query}`, {
          method: "POST",
          headers: { authorization: `Bearer ${api.token}`, "content-type": "image/png" },
          body: encodePng(rgb, 20, 10),
        }),
      );
      assert.equal(answer.status, 201);
      return (await answer.json()).id as number;
    };
    const first = await choose("Left hippocampus", colours);
    const sent = objectsOf(await send(pid, { results: ["key_images"] }));
    const [view, ...others] = sent.get(CAPTURE)!, [selection] = sent.get(KEY_OBJECTS)!;
    assert.deepEqual([others.length, view!.string("x00204000")], [0, "Left hippocampus"]);
    const { dataOffset, length } = view!.elements.x7fe00010!;
    assert.deepEqual(view!.byteArray.slice(dataOffset, dataOffset + length), colours);
    const referenced = (one: DataSet) =>
      items(one, "x0040a730").flatMap((item) => items(item, "x00081199")).map((item) =>
        item.string("x00081155")
      );
    assert.deepEqual(referenced(selection!), [view!.string("x00080018")]);
    if (noPython === "") {
      const path = await Deno.makeTempFile();
      await Deno.writeFile(path, selection!.byteArray);
      const { KO } = await runPython<{ KO: unknown }>("read_results.py", path);
      await Deno.remove(path);
      assert.deepEqual(KO, { title: "113000", referenced: 1 });
    }
    // one more, and one less, is told to whoever has the others
    await choose("", colours.toReversed());
    await ended(api, pid, 2);
    const removed = await api.send(
      new Request(`http://core/api/v1/patients/${pid}/key-images/${first}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${api.token}` },
      }),
    );
    assert.equal(removed.status, 204);
    await ended(api, pid, 3);
  },
);

sendingTest(
  "a destination of research gets images without a face and results, all under one pseudonym",
  async (test, send) => {
    const files = studyFiles(),
      pid = await analysedPhantom(test, files),
      db = await openBeside(test.dataDir);
    // where the atlas lies in the patient: here, as it is
    const rows = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    const { results } = await db.selectFrom("analyses").select(["id", "results"]).where(
      "kind",
      "=",
      "t1",
    )
      .executeTakeFirstOrThrow();
    const placed = JSON.parse(results!) as { quality: Record<string, unknown> };
    placed.quality.subjectFromAtlasRows = rows;
    await db.updateTable("analyses").set({ results: JSON.stringify(placed) }).where(
      "kind",
      "=",
      "t1",
    )
      .execute();
    await db.destroy();
    // first it is looked at
    const view = await test.api.send(
      new Request(`http://core/api/v1/patients/${pid}/defaced`, {
        headers: { authorization: `Bearer ${test.api.token}` },
      }),
    );
    const voxels = npyVoxels(await view.bytes()),
      blanked = voxels.filter((value) => value === 0).length;
    assert.equal(view.status, 200);
    assert.ok(blanked > 1000 && blanked < voxels.length / 2, `${blanked} of ${voxels.length}`);
    const sent = objectsOf(
      await send(pid, {
        results: ["images", "regions", "measurements"],
        research: true,
        deface: true,
      }),
    );
    const images = sent.get("1.2.840.10008.5.1.4.1.1.4")!, [seg] = sent.get(BINARY)!;
    assert.equal(images.length, files.length);
    const all = [...sent.values()].flat(),
      names = new Set(all.map((one) => one.string("x00100020")));
    assert.equal(names.size, 1);
    assert.match([...names][0]!, /^ANON-/);
    assert.equal(new Set(all.map((one) => one.string("x0020000d"))).size, 1, "one study");
    // nothing of the person, and no UID of the hospital, is in any object
    const own = dicomParser.parseDicom(files[0]!.bytes);
    const secrets = [
      "SP-0001",
      "Kim",
      "Haneul",
      "19580312",
      "20260105",
      own.string("x0020000d")!,
      own.string("x00080018")!,
    ];
    for (const one of all) {
      const text = new TextDecoder("latin1").decode(one.byteArray);
      assert.deepEqual(secrets.filter((secret) => text.includes(secret)), []);
    }
    // the segmentation refers to the images that were sent
    const uids = new Set(images.map((one) => one.string("x00080018")));
    for (const group of items(seg!, "x52009230")) {
      const source = items(items(group, "x00089124")[0]!, "x00082112")[0]!;
      assert.ok(uids.has(source.string("x00081155")));
    }
    assert.equal(
      seg!.string("x00200052"),
      images.find((one) => one.string("x00080060") === "MR")!.string("x00200052"),
    );
    assert.deepEqual(new Set(images.map((one) => one.string("x00280302"))), new Set(["NO"]));
    // a report speaks of a person: it does not go there
    const none = await send(pid, { results: ["report", "pages"], research: true }).catch((error) =>
      String(error)
    );
    assert.match(String(none), /nothing/);
  },
);

Deno.test("results wait for the gate of this site without blaming the system that they go to", () => {
  const gate = new LateGate();
  let isAway = true, tries = 0;
  const ask: typeof gate.ask = (task, signal) => {
    if (!isAway) return gate.ask(task, signal);
    tries++;
    return Promise.resolve({ error: { failure: "no_gate", text: "" } });
  };
  return withCore(async (test) => {
    await gate.open(test.dataDir);
    const archive = await openArchive("PACS", ["SULCUS"]), db = await openBeside(test.dataDir);
    try {
      const pid = await analysedPhantom(test, studyFiles());
      const config = { ae_title: "PACS", host: "127.0.0.1", port: archive.gate.port };
      const peerId = await savePeer(test.api, null, { name: "PACS", kind: "dicom", config });
      await insertOutbox(
        db,
        [{ peerId, pid, run: "1,2", kind: "measurements" }],
        "2026-01-06T10:00:00Z",
      );
      const row = async () => (await getPatientRow(test.api, pid)).sent;
      assert.equal(await row(), "waiting");
      const entry = async () => (await getSentResults(test.api, pid)).results[0]!;
      await until(async () => (await entry()).last_error === "no_gate");
      const [peer] = (await getConnections(test.api)).peers;
      assert.deepEqual([peer!.last_error, peer!.not_before], [null, null]);
      isAway = false;
      await until(async () => (await entry()).state === "sent");
      assert.ok(tries >= 1 && archive.files().length > 0);
      // in the worklist too, which is told of it
      assert.equal(await row(), "sent");
      assert.ok(test.events.some(({ event }) => event.event === "study_sent" && event.pid === pid));
    } finally {
      await db.destroy();
      await archive.close();
      await gate.close();
    }
  }, { gate: { ask, aeTitle: "SULCUS" } });
});
