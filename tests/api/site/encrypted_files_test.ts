// covers: S-115
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { getExcel, startExcel } from "@/client/api/report/excel.ts";
import { call } from "@/client/api/http.ts";
import { getDeidentified } from "@/client/api/report/dicom.ts";
import { getPatient, uploadFiles } from "@/client/api/studies/patients.ts";
import { checkStoredFiles } from "@/server/commands/doctor/stored_files.ts";
import { createCore, openData } from "@/server/core/mod.ts";
import { blobPath, listBlobFiles } from "@/server/core/blobs/blob_file.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { checkSite, isWhole } from "@/server/core/site/service/site_check.ts";
import { storedDigest } from "@/server/core/blobs/stored_digest.ts";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { addStudies, addStudyWithFiles } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

const HEX = "c3".repeat(32), OTHER_HEX = "c4".repeat(32);
const KEY = new Uint8Array(32).fill(0xc3),
  ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const isSealed = async (path: string) =>
  new TextDecoder().decode((await Deno.readFile(path)).subarray(0, 8)) === "SULCUS1\n";

/** Number of files in a store that are not encrypted. */
async function inTheClear(dataDir: string): Promise<number> {
  const folder = `${dataDir}/blobs`, hashes = await listBlobFiles(folder);
  const sealed = await Promise.all(hashes.map((hash) => isSealed(blobPath(folder, hash))));
  return sealed.filter((is) => !is).length;
}

const names = (folder: string) =>
  existsSync(folder) ? [...Deno.readDirSync(folder)].map(({ name }) => name) : [];

/** Runs a test with a temporary folder and a function that returns a command's variables. */
async function withKeys(
  body: (folder: string, on: (dataDir: string, more?: Variables) => Variables) => Promise<void>,
) {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-keys-" });
  try {
    for (
      const [name, text] of [["right", HEX], ["other", OTHER_HEX], ["backup", "5e".repeat(32)]]
    ) {
      await Deno.writeTextFile(`${folder}/${name}`, text + "\n", { mode: 0o600 });
    }
    await body(folder, (dataDir, more) => ({
      SULCUS_DATA_DIR: dataDir,
      SULCUS_STORAGE_KEY_FILE: `${folder}/right`,
      ...more,
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
type Variables = Record<string, string>;

Deno.test("an encrypted site takes uploads, shows, exports and sends as any other, and keeps nothing of it in the clear", () =>
  withCore(async ({ api, dataDir }) => {
    const { pid_list: [pid] } = await uploadFiles(api, phantomSeries("short", "ENCRYPTED"));
    assert.equal((await getPatient(api, pid!)).patient_id, "ENCRYPTED");
    const zip = await (await getDeidentified(api, pid!, { dates: "removed" })).bytes();
    assert.ok(zip.length > 100_000);
    assert.equal(await inTheClear(dataDir), 0);
    assert.deepEqual([names(`${dataDir}/blobs/incoming`), names(`${dataDir}/blobs/sealing`)], [
      [],
      [],
    ]);

    // a study from before the encryption, and the content of one of its files
    const old = await addReadStudy(dataDir),
      path = `/api/v1/patients/image/viewer/${old}?file=t1w_mask_file`;
    const before = await (await call(api, path)).bytes();
    assert.ok(await inTheClear(dataDir) > 0);
    await withKeys(async (_, on) => {
      const { code, out, err } = await adminHere(on(dataDir), "files", "encrypt");
      assert.deepEqual([code, err], [0, ""]);
      assert.match(out, /^Encrypted \d+ files in/);
    });
    assert.equal(await inTheClear(dataDir), 0);
    const after = await (await call(api, path)).bytes();
    assert.ok(Buffer.compare(before, after) === 0);
    const part = await call(api, path, { headers: { range: "bytes=70-99" } });
    assert.deepEqual([part.status, Buffer.compare(await part.bytes(), before.subarray(70, 100))], [
      206,
      0,
    ]);

    const db = await openBeside(dataDir);
    try {
      const verdict = await checkSite(db, `${dataDir}/blobs`, undefined, storedDigest(KEY));
      assert.ok(isWhole(verdict), JSON.stringify(verdict));
    } finally {
      await db.destroy();
    }
  }, { storageKey: KEY }));

Deno.test("a finished export of an encrypted site is encrypted too", () =>
  withCore(async ({ api, dataDir }) => {
    await addStudies(dataDir, 1);
    const { excel_id } = await startExcel(api, { pid_list: [1], format: "csv" });
    await until(async () => "file" in await getExcel(api, excel_id));
    const answer = await getExcel(api, excel_id), csv = "file" in answer ? answer.file : null;
    const size = Number(csv!.headers.get("content-length")), text = await csv!.bytes();
    assert.match(new TextDecoder().decode(text), /P-1/);
    assert.equal(text.length, size);
    assert.deepEqual(names(`${dataDir}/exports`), [excel_id]);
    assert.ok(await isSealed(`${dataDir}/exports/${excel_id}`));
  }, { storageKey: KEY, workers: 1 }));

Deno.test("without its key, or with another one, an encrypted site says so in one line and changes nothing", () =>
  withKeys(async (keys, on) => {
    const dataDir = await Deno.makeTempDir();
    try {
      const config = { dataDir, workers: 0 };
      await (await createCore({ ...config, storageKey: KEY })).close();
      for (const storageKey of [null, new Uint8Array(32)]) {
        await assert.rejects(createCore({ ...config, storageKey }), {
          code: "input.invalid",
          message:
            /^Cannot open the stored files in \S+: they are encrypted[^\n]*SULCUS_STORAGE_KEY_FILE/,
        });
      }
      const other = { SULCUS_STORAGE_KEY_FILE: `${keys}/other` };
      await Deno.writeTextFile(`${dataDir}/inside`, HEX);
      const inside = { SULCUS_STORAGE_KEY_FILE: `${dataDir}/inside` };
      for (
        const [more, said] of [[other, /another key/], [
          inside,
          /the key is in the data folder/,
        ]] as const
      ) {
        for (const words of [["files", "encrypt"], ["verify"]]) {
          const { code, err } = await adminHere(on(dataDir, more), ...words);
          assert.equal(code, 1);
          assert.match(err, said);
          assert.equal(err.trim().split("\n").length, 1);
        }
        const { state } = await checkStoredFiles({
          dataDir,
          storageKeyFile: more.SULCUS_STORAGE_KEY_FILE,
        });
        assert.equal(state, "bad");
      }
      const right = { dataDir, storageKeyFile: `${keys}/right` };
      assert.deepEqual(
        (await checkStoredFiles(right)).text,
        "all encrypted (key " + await markIn(dataDir) + ")",
      );
      await Deno.chmod(`${keys}/right`, 0o644);
      assert.equal((await checkStoredFiles(right)).state, "warning");
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  }));

const markIn = async (dataDir: string): Promise<string> =>
  JSON.parse(await Deno.readTextFile(`${dataDir}/blobs/key.json`)).mark;

Deno.test("kill -9 of the command that encrypts a site leaves every file whole, and the next run ends it", () =>
  withKeys(async (keys, on) => {
    const dataDir = await Deno.makeTempDir();
    try {
      await openData(dataDir).destroy();
      for (let n = 0; n < 60; n++) await addStudyWithFiles(dataDir, `S-${n}`);
      const hashes = await listBlobFiles(`${dataDir}/blobs`), all = hashes.length;
      const readsAll = async () => {
        const blobs = new DiskBlobs(`${dataDir}/blobs`, { key: KEY });
        for (const hash of hashes) await blobs.read(hash);
      };
      for (const least of [1, 60]) {
        const process = new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--no-check", "main.ts", "admin", "files", "encrypt"],
          cwd: ROOT,
          env: on(dataDir),
          stdout: "null",
          stderr: "null",
        }).spawn();
        await until(async () => await inTheClear(dataDir) <= all - least);
        try {
          process.kill("SIGKILL");
        } catch { /* it has ended */ }
        await process.status;
        await readsAll();
        const looked = await checkStoredFiles({ dataDir, storageKeyFile: `${keys}/right` });
        assert.equal(looked.state, await inTheClear(dataDir) > 0 ? "warning" : looked.state);
      }
      const done = await adminHere(on(dataDir), "files", "encrypt");
      assert.deepEqual([done.code, await inTheClear(dataDir)], [0, 0]);
      await readsAll();
      assert.equal((await adminHere(on(dataDir), "verify")).code, 0);

      // decrypts the site again
      assert.equal((await adminHere(on(dataDir), "files", "decrypt")).code, 0);
      assert.equal(await inTheClear(dataDir), all);
      assert.equal(existsSync(`${dataDir}/blobs/key.json`), false);
      assert.equal((await adminHere({ SULCUS_DATA_DIR: dataDir }, "verify")).code, 0);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  }));

Deno.test("a backup of an encrypted site is sealed or refused, and restored it is encrypted or not, as asked", () =>
  withKeys(async (keys, on) => {
    const dataDir = await Deno.makeTempDir(),
      folders = await Deno.makeTempDir(),
      backup = `${folders}/backup`;
    const sealed = { SULCUS_BACKUP_KEY_FILE: `${keys}/backup` };
    try {
      await openData(dataDir).destroy();
      await addStudyWithFiles(dataDir, "BACKED-UP");
      assert.equal((await adminHere(on(dataDir), "files", "encrypt")).code, 0);
      const refused = await adminHere(on(dataDir), "backup", backup);
      assert.deepEqual([refused.code, existsSync(backup)], [1, false]);
      assert.match(
        refused.err,
        /^Cannot write the backup: the stored files are encrypted[^\n]*\n$/,
      );
      for (let n = 0; n < 2; n++) {
        assert.equal((await adminHere(on(dataDir, sealed), "backup", backup)).code, 0);
      }
      // the check opens the database next to the data, not in the folder for temporary files
      const noTemporary = { ...sealed, TMPDIR: `${folders}/none` };
      const before = Array.from(Deno.readDirSync(dataDir), ({ name }) => name).sort();
      assert.equal((await adminHere(on(dataDir, noTemporary), "verify", backup)).code, 0);
      assert.deepEqual(Array.from(Deno.readDirSync(dataDir), ({ name }) => name).sort(), before);

      const again = `${folders}/encrypted`, plain = `${folders}/plain`;
      assert.equal((await adminHere(on(again, sealed), "restore", backup)).code, 0);
      assert.deepEqual([await inTheClear(again), await markIn(again)], [0, await markIn(dataDir)]);
      assert.equal((await adminHere(on(again), "verify")).code, 0);
      const without = { SULCUS_DATA_DIR: plain, ...sealed };
      assert.equal((await adminHere(without, "restore", backup)).code, 0);
      assert.equal(await inTheClear(plain), (await listBlobFiles(`${plain}/blobs`)).length);
      assert.equal((await adminHere(without, "verify")).code, 0);
    } finally {
      for (const each of [dataDir, folders]) await Deno.remove(each, { recursive: true });
    }
  }));
