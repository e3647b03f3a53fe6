// covers: S-121
import assert from "node:assert/strict";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { chunksOf } from "@/server/core/blobs/blobs.ts";
import { dataSetHash } from "@/server/core/connections/service/inbox/differing.ts";
import { InboxFiles } from "@/server/core/connections/service/inbox/inbox_files.ts";
import { stow } from "@/server/core/connections/service/web/stow.ts";
import { listConnectionLog } from "@/server/core/connections/storage/connection_log.ts";
import { nameSite, openBeside } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test("STOW puts an object beside one that waits with other bytes aside, as the gate refuses it, and says so", async () => {
  const dataDir = await Deno.realPath(await Deno.makeTempDir({ prefix: "sulcus-stow-" }));
  nameSite(dataDir, null);
  const db = await openBeside(dataDir), inbox = `${dataDir}/inbox`;
  try {
    new InboxFiles(inbox);
    const gate = { inbox, aeTitle: "SULCUS", ask: () => Promise.resolve({}) };
    const services = { db, dataDir, gate, log: () => {} } as unknown as ServiceContext;
    const [{ bytes }] = phantomSeries("short", "STOW-1") as unknown as [
      { bytes: Uint8Array<ArrayBuffer> },
    ];
    const send = async (one: Uint8Array) => await stow(services, chunksOf(one), undefined);
    const { sopInstanceUid, reason } = await send(bytes),
      place = `${inbox}/received/${sopInstanceUid}.dcm`;
    assert.equal(reason, 0);
    const changed = bytes.slice();
    changed[changed.length - 1]! ^= 1;
    // the sender, of the meta information, may differ: it is the same object
    const resent = bytes.slice();
    resent[140 - 132] = 7;
    assert.deepEqual([
      (await send(resent)).reason,
      (await send(changed)).reason,
      (await send(changed)).reason,
    ], [
      0,
      0x0111,
      0x0111,
    ]);
    assert.deepEqual(await Deno.readFile(place), new Uint8Array(bytes));
    assert.deepEqual([namesIn(`${inbox}/received`).length, namesIn(`${inbox}/partial`)], [1, []]);
    const aside = namesIn(`${inbox}/conflicts`);
    assert.equal(aside.length, 2);
    for (const name of aside) {
      assert.deepEqual(await Deno.readFile(`${inbox}/conflicts/${name}`), changed);
    }
    const log = await listConnectionLog(db, 10);
    assert.deepEqual(log.map(({ event, details }) => [event, details.sop_uid]), [
      ["differs", sopInstanceUid],
      ["differs", sopInstanceUid],
    ]);
  } finally {
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
});

Deno.test("two that send different objects of one instance at the same time leave one whole, and lose none", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-stow-" });
  try {
    const files = new InboxFiles(folder),
      made = Array.from({ length: 12 }, (_, n) => new Uint8Array(9000).fill(n));
    const placed = await Promise.all(made.map(async (bytes, n) => {
      await Deno.writeFile(`${folder}/one-${n}`, bytes);
      return await files.receive(`${folder}/one-${n}`, "1.2.3");
    }));
    assert.equal(placed.filter((one) => one === "stored").length, 1);
    assert.equal(placed.filter((one) => one === "differs").length, 11);
    assert.deepEqual(namesIn(`${folder}/received`), ["1.2.3.dcm"]);
    assert.equal(namesIn(`${folder}/conflicts`).length, 11);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an object is the same in whatever pieces it is read, and whatever its meta information says", async () => {
  const [{ bytes }] = phantomSeries("short", "STOW-2") as unknown as [
    { bytes: Uint8Array<ArrayBuffer> },
  ];
  async function* piecesOf(one: Uint8Array, size: number) {
    for (let at = 0; at < one.length; at += size) {
      yield await Promise.resolve(one.subarray(at, at + size));
    }
  }
  const whole = await dataSetHash(piecesOf(bytes, Infinity));
  for (const size of [1, 7, 100, 143, 144, 145, 4096]) {
    assert.equal(await dataSetHash(piecesOf(bytes, size)), whole, String(size));
  }
  for (const length of [0, 10, 143, 144, 200]) {
    await dataSetHash(piecesOf(bytes.subarray(0, length), 50));
  }
  const other = bytes.slice();
  other[5] = 1;
  assert.equal(await dataSetHash(piecesOf(other, 1000)), whole);
});
