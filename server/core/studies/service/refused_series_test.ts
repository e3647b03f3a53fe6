// covers: S-129
import assert from "node:assert/strict";
import { sql } from "kysely";
import { AppError } from "@/model/errors.ts";
import { DiskBlobs, type Lease, type StagedBlob } from "@/server/core/blobs/blobs.ts";
import { openDatabase } from "@/server/core/database/database.ts";
import { listRefused } from "@/server/core/studies/storage/refused_series.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { storeReceived } from "@/server/core/studies/service/ingest.ts";
import type { ReceivedFile } from "@/server/core/studies/service/receive.ts";
import { TIMING, writeAcquisition } from "@/server/commands/demo/phantom/acquisitions.ts";

/** Does something whenever one blob alone, a viewing copy, is about to get its place. */
class WatchedBlobs extends DiskBlobs {
  /** called with the number of the copy, from 1 */
  before: (copy: number) => unknown = () => {};
  #copies = 0;

  override async keep(staged: readonly StagedBlob[]): Promise<Lease> {
    if (staged.length === 1) await this.before(++this.#copies);
    return await super.keep(staged);
  }
}

Deno.test("an upload is stored whatever happens to its viewing copies, and nothing of those is left", async (t) => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-test-" });
  const db = openDatabase(":memory:"),
    blobs = new WatchedBlobs(`${dataDir}/blobs`),
    lines: string[] = [];
  const services = {
    db,
    blobs,
    dataDir,
    publish: () => {},
    log: (level: string, message: string) => void (level === "warn" && lines.push(message)),
  } as unknown as ServiceContext;
  const upload = async (study: number) => {
    const files: ReceivedFile[] = [],
      sent = [
        { name: "t1_mprage", ...TIMING.mprage },
        ...["t2 a", "t2 b", "t2 c"].map((name) => ({ name, ...TIMING.t2, slices: 4 })),
      ].flatMap((one, n) => writeAcquisition({ ...one, picture: 10 * study + n }, study, n + 1));
    for (const { fileName, bytes } of sent) {
      const staged = await blobs.stage(ReadableStream.from([bytes]), Infinity).staging;
      files.push({ fileName, staged });
    }
    const { success } = await storeReceived(
      services,
      { uid: null, isAnalyzed: false },
      { files, failed: [] },
      undefined,
    );
    await Promise.all(files.map(({ staged }) => staged.discard()));
    return success;
  };
  const copiesOf = async (pid: number) =>
    (await listRefused(db, pid)).map(({ copy }) => copy !== null);
  /** Blobs that are on disk, and those that the database knows. */
  const stored = async () => {
    const namedIn = () => Promise.resolve(new Set<string>()), onDisk: string[] = [];
    for await (const { unnamed } of blobs.unnamed(namedIn, Infinity)) onDisk.push(...unnamed);
    const rows = await db.selectFrom("blobs").select("hash").orderBy("hash").execute();
    const staged = [...Deno.readDirSync(`${dataDir}/blobs/incoming`)].length;
    return { onDisk: onDisk.sort(), rows: rows.map(({ hash }) => hash), staged };
  };
  const check = async (count: number) => {
    const { onDisk, rows, staged } = await stored();
    assert.deepEqual([onDisk, rows.length, staged], [rows, count, 0]);
  };
  try {
    await t.step("a full disk ends them", async () => {
      blobs.before = (copy) => {
        if (copy === 2) {
          throw new AppError("storage.full", "Cannot store the volume: the disk is full");
        }
      };
      assert.equal(await upload(1), 1);
      assert.deepEqual([await copiesOf(1), lines.length], [[true, false, false], 1]);
      await check(50 + 1 + 1);
    });
    await t.step("another failure is that of one, also when its file has its place", async () => {
      const triggers = [
        sql`CREATE TRIGGER fault BEFORE UPDATE ON refused_series BEGIN SELECT RAISE(ABORT, 'no'); END`,
        sql`DROP TRIGGER fault`,
      ];
      blobs.before = () => triggers.shift()?.execute(db);
      assert.equal(await upload(2), 1);
      assert.deepEqual([await copiesOf(2), lines.length], [[false, true, true], 2]);
      await check(2 * (50 + 1) + 1 + 2);
    });
    await t.step("the study is deleted meanwhile", async () => {
      blobs.before = () => db.deleteFrom("patients").where("pid", "=", 3).execute();
      assert.equal(await upload(3), 1);
      assert.equal(lines.length, 2);
      // what was the study's own is removed by whoever deletes it
      await check(3 * (50 + 1) + 1 + 2);
    });
  } finally {
    await db.destroy();
    await Deno.remove(dataDir, { recursive: true });
  }
});
