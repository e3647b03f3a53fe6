// Damaged backups: each wrong file is named, another backup repairs all, and restore refuses them.
// covers: S-70
import assert from "node:assert/strict";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { blobPath, listBlobFiles, readDigest } from "@/server/core/blobs/blob_file.ts";
import { writeBackup } from "@/server/core/site/service/backup/backup.ts";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { openBeside, siteOf, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { coreTest } from "@/tests/sites/core_site.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";

const DAY_MS = 86_400_000;
/** Kinds of damage to a stored file; only the last one changes its size. */
const DAMAGES: ((bytes: Uint8Array<ArrayBuffer>, random: Random) => Uint8Array)[] = [
  (bytes, random) => {
    const bit = Math.floor(random.uniform() * bytes.length * 8);
    bytes[bit >> 3]! ^= 1 << (bit & 7);
    return bytes;
  },
  (bytes) => bytes.fill(0),
  (bytes, random) => bytes.subarray(0, Math.floor(random.uniform() * bytes.length)),
];

interface Place {
  root: string;
  folder: string;
  variables: Record<string, string>;
}

/** A site with stored files, and a folder for its backups. */
async function withBackup(
  { dataDir }: TestCore,
  studies: number,
  isSealed: boolean,
  body: (place: Place) => Promise<void>,
): Promise<void> {
  const root = await Deno.makeTempDir(), url = siteOf(dataDir);
  await Deno.writeTextFile(`${root}/key`, "5a".repeat(32));
  for (let n = 0; n < studies; n++) await addStudyWithFiles(dataDir, `STUDY-${n}`);
  const variables = {
    SULCUS_DATA_DIR: dataDir,
    ...(url === null ? {} : { SULCUS_DATABASE_URL: url }),
    ...(isSealed ? { SULCUS_BACKUP_KEY_FILE: `${root}/key` } : {}),
  };
  try {
    await body({ root, folder: `${root}/backup`, variables });
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Damages stored files of a backup. @returns their hashes. */
async function damageFiles(folder: string, count: number, random: Random): Promise<string[]> {
  const hashes = await listBlobFiles(`${folder}/blobs`), damaged: string[] = [];
  for (let n = 0; n < count; n++) {
    const [hash] = hashes.splice(Math.floor(random.uniform() * hashes.length), 1);
    const path = blobPath(`${folder}/blobs`, hash!);
    await Deno.writeFile(path, DAMAGES[n % DAMAGES.length]!(await Deno.readFile(path), random));
    damaged.push(hash!);
  }
  return damaged;
}

async function digests(folder: string): Promise<string[]> {
  const hashes = await listBlobFiles(folder);
  return await Promise.all(hashes.map(async (hash) => {
    using file = await Deno.open(blobPath(folder, hash));
    return (await readDigest(file)).hash;
  }));
}

/** Flips a bit of core.sqlite that SQLite ignores: in the reserved part of the header. */
async function flipUnused(folder: string): Promise<void> {
  const path = `${folder}/core.sqlite`, bytes = await Deno.readFile(path);
  // reserved for expansion, must be zero (SQLite file format, 1.3)
  bytes[80]! ^= 1;
  await Deno.writeFile(path, bytes);
}

const forge = async (folder: string) => {
  const path = `${folder}/backup.json`, note = JSON.parse(await Deno.readTextFile(path));
  await Deno.writeTextFile(
    path,
    JSON.stringify({ ...note, created_at: "2031-01-01T00:00:00.000Z" }),
  );
};

const isOneLineEach = (text: string) => text.split("\n").every((line) => !/^\s+at /.test(line));

for (const isSealed of [false, true]) {
  const kind = isSealed ? "sealed" : "plain", seed = isSealed ? 37 : 38;
  Deno.test(`20 damages to a ${kind} backup are named, and one backup mends them (seed ${seed})`, () =>
    withCore((test) =>
      withBackup(test, 12, isSealed, async ({ folder, root, variables }) => {
        const random = new Random(seed);
        assert.equal((await adminHere(variables, "backup", folder)).code, 0);
        assert.equal((await adminHere(variables, "verify", folder)).code, 0);
        const damaged = await damageFiles(folder, 18, random);
        await flipUnused(folder);
        await forge(folder);

        const { code, err } = await adminHere(variables, "verify", folder);
        assert.equal(code, 1);
        assert.ok(isOneLineEach(err), err);
        const lines = err.trim().split("\n");
        for (const name of [...damaged, "core.sqlite", "backup.json"]) {
          const line = lines.filter((each) => each.includes(`${name} `));
          assert.equal(line.length, 1, `${name}: ${err}`);
          assert.match(line[0]!, /run `deno task admin backup /);
        }
        assert.equal(lines.length, 20, err);

        // this machine has no record about the backup: hashes and the backup key suffice
        const elsewhere = { ...variables, SULCUS_DATA_DIR: `${root}/new` };
        const refused = await adminHere(elsewhere, "restore", folder);
        assert.equal(refused.code, 1);
        for (const hash of damaged) assert.ok(refused.err.includes(hash), refused.err);
        await assert.rejects(Deno.stat(`${root}/new`), Deno.errors.NotFound);

        const mended = await adminHere(variables, "backup", folder);
        assert.equal(mended.code, 0, mended.err);
        for (const hash of damaged) assert.ok(mended.out.includes(hash), mended.out);
        const again = await adminHere(variables, "verify", folder);
        assert.equal(again.code, 0, again.err);
        assert.match(again.out, /Signed {5}yes/);
        if (!isSealed) {
          assert.deepEqual(
            await digests(`${folder}/blobs`),
            await listBlobFiles(`${test.dataDir}/blobs`),
          );
        }
        assert.equal((await adminHere(elsewhere, "restore", folder)).code, 0);
        assert.equal((await adminHere(elsewhere, "verify")).code, 0);
      })
    ));
}

coreTest(
  "damage to a backup is named and mended, whichever file it is in",
  (test) =>
    withBackup(test, 2, false, async ({ folder, variables }) => {
      const database = `${folder}/core.sqlite`, note = `${folder}/backup.json`;
      const flip = async (path: string, at: number) => {
        const bytes = await Deno.readFile(path);
        bytes[Math.floor(at * bytes.length)]! ^= 0x40;
        await Deno.writeFile(path, bytes);
      };
      const cases: [string, string, () => Promise<unknown>][] = [
        ["a flip in the database's head", "core.sqlite", () => flip(database, 0)],
        ["a flip in the middle of the database", "core.sqlite", () => flip(database, 0.5)],
        [
          "a database of zeroes",
          "core.sqlite",
          async () => Deno.writeFile(database, new Uint8Array((await Deno.stat(database)).size)),
        ],
        ["an empty database", "core.sqlite", () => Deno.truncate(database)],
        ["no database", "core.sqlite", () => Deno.remove(database)],
        ["a note of nonsense", "backup.json", () => Deno.writeTextFile(note, "{nonsense")],
        ["an empty note", "backup.json", () => Deno.truncate(note)],
        ["a note without its signature", "backup.json", async () =>
          Deno.writeTextFile(
            note,
            JSON.stringify({ ...JSON.parse(await Deno.readTextFile(note)), signatures: [] }),
          )],
        ["a forged note", "backup.json", () => forge(folder)],
        ["a note of a sealed backup", "backup.json", async () =>
          Deno.writeTextFile(
            note,
            JSON.stringify({ ...JSON.parse(await Deno.readTextFile(note)), sealed: true }),
          )],
      ];
      assert.equal((await adminHere(variables, "backup", folder)).code, 0);
      // the copy is checked alike for all databases, so fewer cases are run on PostgreSQL, which is
      // slow
      const some = siteOf(test.dataDir) === null ? cases : cases.filter((_, n) => n % 4 === 1);
      for (const [name, file, damage] of some) {
        await damage();
        const [blob] = await damageFiles(folder, 1, new Random(1));
        const { code, err } = await adminHere(variables, "verify", folder);
        assert.equal(code, 1, name);
        assert.ok(isOneLineEach(err), `${name}: ${err}`);
        for (const wrong of [file, blob!]) assert.ok(err.includes(`${wrong} `), `${name}: ${err}`);
        const mended = await adminHere(variables, "backup", folder);
        assert.equal(mended.code, 0, `${name}: ${mended.err}`);
        assert.equal((await adminHere(variables, "verify", folder)).code, 0, name);
      }
    }),
);

Deno.test("writeBackup() compares all files within a week of daily runs, without a look by verify", () =>
  withCore((test) =>
    withBackup(test, 12, false, async ({ folder }) => {
      const db = await openBeside(test.dataDir), blobs = `${test.dataDir}/blobs`;
      const day = (n: number) =>
        writeBackup(db, {
          blobs,
          folder,
          key: null,
          storageKey: null,
          nowMs: (20_000 + n) * DAY_MS,
        });
      try {
        await day(0);
        const random = new Random(7), hashes = await listBlobFiles(`${folder}/blobs`);
        const damaged = await damageFiles(folder, 0, random);
        for (const hash of hashes) {
          const path = blobPath(`${folder}/blobs`, hash);
          await Deno.writeFile(path, DAMAGES[1]!(await Deno.readFile(path), random));
          damaged.push(hash);
        }
        const mended: number[] = [];
        for (let n = 1; n <= 7; n++) mended.push((await day(n)).replaced.length);
        assert.equal(mended.reduce((sum, count) => sum + count), damaged.length, mended.join());
        assert.ok(Math.max(...mended) < damaged.length / 2, `not a sample: ${mended}`);
        assert.deepEqual(await digests(`${folder}/blobs`), hashes);
        // once a week, a backup compares all files
        await damageFiles(folder, 5, random);
        await day(15);
        assert.deepEqual(await digests(`${folder}/blobs`), hashes);
      } finally {
        await db.destroy();
      }
    })
  ));

Deno.test("a wrong file whose original is damaged too stays wrong in every look at it", () =>
  withCore((test) =>
    withBackup(test, 1, false, async ({ folder, variables }) => {
      assert.equal((await adminHere(variables, "backup", folder)).code, 0);
      const [hash] = await damageFiles(folder, 1, new Random(3));
      const original = blobPath(`${test.dataDir}/blobs`, hash!),
        bytes = await Deno.readFile(original);
      await Deno.writeFile(original, bytes.slice().fill(0));
      assert.equal((await adminHere(variables, "verify", folder)).code, 1);
      for (let n = 0; n < 2; n++) {
        const { code, err } = await adminHere(variables, "backup", folder);
        assert.equal(code, 1);
        assert.ok(err.includes(hash!), err);
        assert.equal((await adminHere(variables, "verify", folder)).code, 1);
      }
      await Deno.writeFile(original, bytes);
      assert.equal((await adminHere(variables, "backup", folder)).code, 0);
      assert.equal((await adminHere(variables, "verify", folder)).code, 0);
    })
  ));

Deno.test("verify says so on a machine without the site's keys, and accepts those put aside by a restore", () =>
  withCore((test) =>
    withBackup(test, 1, false, async ({ folder, root, variables }) => {
      assert.equal((await adminHere(variables, "backup", folder)).code, 0);
      const elsewhere = { ...variables, SULCUS_DATA_DIR: `${root}/none` };
      const { code, out } = await adminHere(elsewhere, "verify", folder);
      assert.equal(code, 0);
      assert.match(out, /Signed {5}not verified\n.*SULCUS_AUDIT_DIR/);
      const audit = { ...elsewhere, SULCUS_AUDIT_DIR: `${root}/keys` };
      await Deno.mkdir(`${root}/keys`);
      await Deno.copyFile(`${test.dataDir}/audit/key`, `${root}/keys/key`);
      assert.match((await adminHere(audit, "verify", folder)).out, /Signed {5}yes/);
      await Deno.rename(`${root}/keys`, `${root}/keys.before-1`);
      assert.match((await adminHere(audit, "verify", folder)).out, /Signed {5}yes/);
      // with the key of another site
      await Deno.remove(`${root}/keys.before-1`, { recursive: true });
      await Deno.mkdir(`${root}/keys`);
      const key = JSON.stringify({ key: "1".repeat(64), since: 1 });
      await Deno.writeTextFile(`${root}/keys/key`, key);
      const foreign = await adminHere(audit, "verify", folder);
      assert.equal(foreign.code, 1);
      assert.match(foreign.err, /^backup\.json bears no signature by a key of this site/);
    })
  ));

Deno.test("verify of a site with a damaged database says so in lines, wherever the damage is", () =>
  withCore((test) =>
    withBackup(test, 3, false, async ({ root, folder, variables }) => {
      assert.equal((await adminHere(variables, "backup", folder)).code, 0);
      const whole = await Deno.readFile(`${folder}/core.sqlite`), page = 4096;
      for (let at = page; at < whole.length; at += 7 * page) {
        const dataDir = `${root}/site-${at}`, bytes = whole.slice();
        await Deno.mkdir(`${dataDir}/blobs`, { recursive: true });
        bytes.fill(0xa5, at, at + page);
        await Deno.writeFile(`${dataDir}/core.sqlite`, bytes);
        const { code, err } = await adminHere({ ...variables, SULCUS_DATA_DIR: dataDir }, "verify");
        assert.equal(code, 1, `page ${at / page}`);
        assert.ok(err.length > 0 && isOneLineEach(err), `page ${at / page}: ${err}`);
      }
    })
  ));

coreTest(
  "a nightly backup is refused while the disk of the backup or of the data is not mounted",
  (test) =>
    withBackup(test, 2, false, async ({ root, folder, variables }) => {
      const nightly = (more = {}) =>
        adminHere({ ...variables, ...more }, "backup", folder, "--nightly");
      // the first nightly backup needs no earlier backup by a command
      assert.equal((await nightly()).code, 0);
      await Deno.rename(folder, `${root}/away`);
      for (const isMade of [false, true]) {
        if (isMade) await Deno.mkdir(folder);
        const { code, err } = await nightly();
        assert.equal(code, 1);
        assert.match(err, /the earlier one in .* is gone\. Mount its disk/);
        assert.ok(isOneLineEach(err), err);
      }
      assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
      // an administrator starts again on a new disk
      assert.equal((await adminHere(variables, "backup", folder)).code, 0);
      assert.equal((await nightly()).code, 0);

      const before = await listBlobFiles(`${folder}/blobs`);
      assert.ok(before.length > 0);
      await withCore(async (empty) => {
        const { code, err } = await nightly({
          SULCUS_DATA_DIR: empty.dataDir,
          SULCUS_DATABASE_URL: "",
        });
        assert.equal(code, 1);
        assert.match(err, /this site holds no files/);
      });
      assert.deepEqual(await listBlobFiles(`${folder}/blobs`), before);
      assert.equal((await adminHere(variables, "verify", folder)).code, 0);
      // a backup without its note is repaired like others
      await Deno.remove(`${folder}/backup.json`);
      assert.equal((await nightly()).code, 0);
      // if the data folder cannot record the backup's folder, the backup is still valid
      await Deno.mkdir(`${test.dataDir}/backup-folders.part`);
      const other = await adminHere(variables, "backup", `${root}/other`);
      assert.equal(other.code, 0);
      assert.match(other.err, /Cannot record in /);
      assert.equal((await adminHere(variables, "verify", `${root}/other`)).code, 0);
    }),
);
