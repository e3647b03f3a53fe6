// covers: S-78
// A file of 65 kB that inflates to 64 MB, by every way in which images arrive: refused with a
// reason and with little memory, while the site responds.
import assert from "node:assert/strict";
import dicomParser from "dicom-parser";
import {
  getConnections,
  getRouting,
  savePeer,
  saveRouting,
} from "@/client/api/connections/connections.ts";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { INBOX } from "@/server/gate/link/tasks.ts";
import { blobsOnDisk, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { LateGate, sendFiles } from "@/tests/sites/connections/gate_site.ts";
import { deflated, metaEnd } from "@/tests/sites/series/deflated_file.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const REFUSED = "upload.format_not_supported/compression";
const INFLATED_BYTES = 1 << 26, MAX_ADDED_BYTES = 200e6;

/** DICOM image with a valid header; its pixel data are 64 MB of zeros, which deflate to kilobytes. */
function bombOf(patientId: string): { sopUid: string; bytes: Uint8Array<ArrayBuffer> } {
  const { bytes } = phantomSeries("short", patientId)[0]!, dataSet = dicomParser.parseDicom(bytes);
  const { dataOffset } = dataSet.elements.x7fe00010!, start = metaEnd(bytes);
  const inflated = new Uint8Array(dataOffset - start + INFLATED_BYTES);
  inflated.set(bytes.subarray(start, dataOffset));
  new DataView(inflated.buffer).setUint32(dataOffset - start - 4, INFLATED_BYTES, true);
  return {
    sopUid: dataSet.string("x00080018")!,
    bytes: new Uint8Array(deflated(bytes, inflated)),
  };
}

/** Maximum additional memory while a function runs, bytes. */
async function addedWhile(run: () => Promise<void>): Promise<number> {
  const before = Deno.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => most = Math.max(most, Deno.memoryUsage().rss), 10);
  try {
    await run();
  } finally {
    clearInterval(watch);
  }
  return most - before;
}

type Bomb = ReturnType<typeof bombOf>;

async function refusedByUpload({ api }: TestCore, { bytes }: Bomb): Promise<void> {
  const { pid_list, failed } = await uploadFiles(api, [{ fileName: "a.dcm", bytes }]);
  assert.deepEqual([pid_list, failed.map(({ code, reason }) => `${code}/${reason}`)], [[], [
    REFUSED,
  ]]);
}

/** The header is valid, so DICOMweb accepts the object, and the inbox refuses it later. */
async function takenByStow({ core, api }: TestCore, { bytes }: Bomb): Promise<void> {
  const body = ["--b\r\nContent-Type: application/dicom\r\n\r\n", bytes, "\r\n--b--\r\n"];
  const answer = await core.fetch(
    new Request("http://core/api/v1/dicomweb/studies", {
      method: "POST",
      body: new Blob(body),
      headers: {
        authorization: `Bearer ${api.token}`,
        "content-type": 'multipart/related; type="application/dicom"; boundary=b',
      },
    }),
  );
  assert.equal(answer.status, 200);
}

async function bombsCome(test: TestCore, port: number): Promise<void> {
  const { api, dataDir } = test;
  const [upload, stow, inbox, store, ...warming] = ["1", "2", "3", "4", "5", "6"].map(bombOf);
  assert.ok(upload!.bytes.length < 100_000);
  // starts the workers that read files before memory is measured
  for (const bomb of warming) await refusedByUpload(test, bomb);
  const added = await addedWhile(async () => {
    await refusedByUpload(test, upload!);
    await takenByStow(test, stow!);
    const place = `${dataDir}/inbox/${INBOX.received}/${inbox!.sopUid}.dcm`;
    await Deno.writeFile(`${dataDir}/bomb`, inbox!.bytes);
    await Deno.rename(`${dataDir}/bomb`, place);
    assert.deepEqual(await sendFiles(port, "SCANNER", [store!]), [0]);
    const arrivals = await until(async () => {
      const { arrivals } = await getConnections(api);
      const isOver = arrivals.every(({ state }) => state === "refused" || state === "stored");
      return arrivals.length === 3 && isOver ? arrivals : null;
    });
    assert.deepEqual(
      arrivals.map(({ state, reason }) => [state, reason]),
      Array(3).fill(["refused", REFUSED]),
    );
  });
  assert.ok(added < MAX_ADDED_BYTES, `${added} bytes more`);
  // refused files are kept for the time in the routing settings
  const kept = [...Deno.readDirSync(`${dataDir}/inbox/studies`)].flatMap(({ name }) => [
    ...Deno.readDirSync(`${dataDir}/inbox/studies/${name}`),
  ]);
  assert.deepEqual(
    kept.map(({ name }) => name).sort(),
    [stow, inbox, store].map((one) => `${one!.sopUid}.dcm`).sort(),
  );
}

Deno.test("a deflated bomb is refused with its reason by upload, STOW, inbox and C-STORE, in little memory", () => {
  const gate = new LateGate();
  const whole = async (test: TestCore) => {
    const { port } = await gate.open(test.dataDir), blobs = blobsOnDisk(test.dataDir);
    try {
      await savePeer(test.api, null, {
        name: "Scanner",
        kind: "dicom",
        config: { ae_title: "SCANNER", may_send: true, host: "127.0.0.1", port: 1 },
      });
      await saveRouting(test.api, { ...await getRouting(test.api), quiet_seconds: 1 });
      await until(async () => await sendFiles(port, "SCANNER", []).then(() => true, () => false));
      await bombsCome(test, port);
      assert.deepEqual(blobsOnDisk(test.dataDir), blobs);
    } finally {
      await gate.close();
    }
  };
  return withCore(whole, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
});
