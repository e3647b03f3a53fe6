import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Secret, TOTP } from "otpauth";
import { saveLabels } from "@/client/api/worklist/labels.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { beginFactor, confirmFactor } from "@/client/api/accounts/second_factor.ts";
import { deletePatient, getPatient, listPatients } from "@/client/api/studies/patients.ts";
import { backup, restore, verify } from "@/server/commands/admin/admin_backup.ts";
import { type Environment, readEnvironment } from "@/server/commands/start/environment.ts";
import { createCore, openSite } from "@/server/core/mod.ts";
import { VERSION } from "@/server/core/site/service/status.ts";
import { blobPath, listBlobFiles } from "@/server/core/blobs/blob_file.ts";
import { lastId } from "@/server/core/database/sequences.ts";
import { isPostgres } from "@/server/core/database/postgres.ts";
import {
  blobsOnDisk,
  EMAIL,
  openBeside,
  PASSWORD,
  siteOf,
  type TestCore,
} from "@/tests/sites/core_site.ts";
import { coreTest, withCore } from "@/tests/sites/core_site.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { until } from "@/tests/sites/until.ts";

function environmentOf(dataDir: string, databaseUrl?: string | null): Environment {
  const result = readEnvironment({
    SULCUS_DATA_DIR: dataDir,
    ...(databaseUrl ? { SULCUS_DATABASE_URL: databaseUrl } : {}),
  }, 1);
  assert.ok("environment" in result);
  return result.environment;
}

/** Two studies with a label, and one between them that is deleted. */
async function fill({ api, dataDir }: TestCore): Promise<void> {
  for (const name of ["A", "B", "C"]) await addStudyWithFiles(dataDir, name);
  await saveLabels(api, [{ id: -1, label_name: "추적", patients: [1, 3] }]);
  await deletePatient(api, 2);
}

/** Worklist and results of all studies of a site. */
async function seen(test: Pick<TestCore, "core" | "open">) {
  const { access_token } = await login(test.open, { email: EMAIL, password: PASSWORD });
  const api = { ...test.open, token: access_token },
    { patients } = await listPatients(api, { page_size: 50 });
  return { patients, studies: await Promise.all(patients.map(({ pid }) => getPatient(api, pid))) };
}

/** Number of the study stored last, even if it was deleted. */
async function lastPid(environment: Environment): Promise<number> {
  const db = await openSite(environment);
  return await lastId(db, "patients").finally(() => db.destroy());
}

/** Hashes that the database refers to. */
async function namedBlobs(dataDir: string): Promise<string> {
  const db = await openBeside(dataDir);
  const rows = await db.selectFrom("blobs").select("hash").execute().finally(() => db.destroy());
  return rows.map(({ hash }) => hash).sort().join();
}

// covers: S-70
coreTest("a backup of a site in use is whole, and restored it is the same site", async (test) => {
  const { dataDir, api } = test, site = environmentOf(dataDir, siteOf(dataDir));
  await fill(test);
  // studies are added and deleted repeatedly during the backup
  let isOver = false;
  const busy = (async () => {
    for (let round = 0; !isOver; round++) {
      await deletePatient(api, await addStudyWithFiles(dataDir, `BUSY-${round}`));
    }
  })();
  const folder = await Deno.makeTempDir(), target = await Deno.makeTempDir();
  try {
    for (let n = 0; n < 2; n++) assert.equal(await backup(folder, site), 0);
    isOver = true;
    await busy;
    // with PostgreSQL, files of the last deleted study are removed after the response
    const ofStudies = await namedBlobs(dataDir);
    await until(() => blobsOnDisk(dataDir).join() === ofStudies);
    assert.equal(await backup(folder, site), 0);
    assert.equal(await verify(folder, site), 0);
    assert.equal(await verify("", site), 0);
    // files of earlier backups that are no longer needed are removed
    assert.deepEqual((await listBlobFiles(`${folder}/blobs`)).sort(), blobsOnDisk(dataDir));

    const before = await seen(test);
    const other = environmentOf(target, siteOf(dataDir) && await newPostgres());
    assert.equal(await restore(folder, other), 0);
    await assert.rejects(restore(folder, other), { code: "input.invalid" });
    const core = await createCore({ dataDir: target, databaseUrl: other.databaseUrl, workers: 0 });
    const restored = { core, open: { send: core.fetch, origin: "http://core" } };
    try {
      assert.equal(core.administrator, null);
      assert.deepEqual(await seen(restored), before);
      // earlier sessions are not valid on the restored site, and study numbers are not reused
      await assert.rejects(listPatients({ ...restored.open, token: api.token }, {}), {
        code: "token.revoked",
      });
      assert.equal(await lastPid(other), await lastPid(site));
    } finally {
      await core.close();
    }
    assert.equal(await verify("", other), 0);
  } finally {
    isOver = true;
    await busy.catch(() => {});
    for (const path of [folder, target]) await Deno.remove(path, { recursive: true });
  }
}, { binDays: 0 });

// covers: S-70
coreTest(
  "verify finds damaged and missing files and rows, and a changed audit log",
  async (test) => {
    const { dataDir } = test, site = environmentOf(dataDir, siteOf(dataDir));
    for (const name of ["A", "B"]) await addStudyWithFiles(dataDir, name);
    const folder = await Deno.makeTempDir(), blobs = `${dataDir}/blobs`;
    const db = await openBeside(dataDir);
    try {
      assert.equal(await verify("", site), 0);
      const [first, second] = blobsOnDisk(dataDir).map((hash) => blobPath(blobs, hash));
      const bytes = await Deno.readFile(first!), changed = bytes.slice();
      changed[changed.length >> 1]! ^= 1;
      await Deno.writeFile(first!, changed);
      assert.equal(await verify("", site), 1);
      // the backup contains the remaining files, and reports the missing one
      assert.equal(await backup(folder, site), 1);
      assert.equal(await verify(folder, site), 1);
      assert.equal(
        (await listBlobFiles(`${folder}/blobs`)).length,
        blobsOnDisk(dataDir).length - 1,
      );
      await Deno.writeFile(first!, bytes);
      assert.equal(await backup(folder, site), 0);
      assert.equal(await verify(folder, site), 0);

      await Deno.rename(second!, `${second}-away`);
      assert.equal(await verify("", site), 1);
      await Deno.rename(`${second}-away`, second!);
      assert.equal(await verify("", site), 0);

      if (!isPostgres(db)) {
        const { DatabaseSync } = await import("node:sqlite");
        using raw = new DatabaseSync(`${dataDir}/core.sqlite`, {
          enableForeignKeyConstraints: false,
        });
        raw.exec("DELETE FROM series");
        assert.equal(await verify("", site), 1);
        raw.exec(
          "DELETE FROM patients; DELETE FROM instances; DELETE FROM blobs; DROP TRIGGER audit_no_update",
        );
      } else {
        await (await import("kysely")).sql`ALTER TABLE audit DISABLE TRIGGER USER`.execute(db);
      }
      await db.updateTable("audit").set({ at: "2020-01-01T00:00:00Z" }).where("seq", "=", 1)
        .execute();
      assert.equal(await verify("", site), 1);
    } finally {
      await db.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  },
);

// covers: S-70
Deno.test("a damaged backup is not restored silently; one cut short is none; nothing else is written over", () =>
  withCore(async (test) => {
    const site = environmentOf(test.dataDir), folder = await Deno.makeTempDir();
    const target = await Deno.makeTempDir();
    await addStudyWithFiles(test.dataDir, "A");
    try {
      await Deno.writeTextFile(`${target}/notes.txt`, "mine");
      await assert.rejects(backup(target, site), { code: "input.invalid" });
      await assert.rejects(
        restore(folder, environmentOf(`${target}/site`)),
        /there is no backup\.json/,
      );
      assert.equal(await backup(folder, site), 0);
      const [hash] = await listBlobFiles(`${folder}/blobs`);
      await Deno.writeTextFile(blobPath(`${folder}/blobs`, hash!), "nonsense");
      const there = environmentOf(`${target}/site`);
      await assert.rejects(restore(folder, there), { code: "file.damaged" });
      await assert.rejects(Deno.stat(`${target}/site`), Deno.errors.NotFound);
      assert.equal(await restore(folder, there, { acceptDamage: true }), 1);
      assert.equal(await verify("", environmentOf(`${target}/site`)), 1);
      // a missing data folder is an error, and is not created by the check
      await assert.rejects(verify("", environmentOf(`${target}/none`)), { code: "input.invalid" });
      await assert.rejects(Deno.stat(`${target}/none`), Deno.errors.NotFound);
    } finally {
      for (const path of [folder, target]) await Deno.remove(path, { recursive: true });
    }
  }));

// covers: S-70
coreTest(
  "one-time codes are taken after a restore beside the site's former audit key, and not without it",
  async ({ dataDir, api, open }) => {
    const folder = await Deno.makeTempDir(), targets = await Deno.makeTempDir();
    const { secret } = await beginFactor(api, PASSWORD),
      totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const codeOf = (periods: number) => totp.generate({ timestamp: Date.now() + periods * 30_000 });
    const { recovery_codes } = await confirmFactor(api, codeOf(-1));
    try {
      assert.equal(await backup(folder, environmentOf(dataDir, siteOf(dataDir))), 0);
      for (const hasKey of [true, false]) {
        const target = `${targets}/${hasKey}`;
        await Deno.mkdir(`${target}/audit`, { recursive: true });
        if (hasKey) await Deno.copyFile(`${dataDir}/audit/key`, `${target}/audit/key`);
        const site = environmentOf(target, siteOf(dataDir) && await newPostgres());
        assert.equal(await restore(folder, site), 0);
        // the restored site signs with its own key, also in the same folder
        assert.equal(await backup(folder, site), 0);
        assert.equal(await verify(folder, site), 0);
        const core = await createCore({
          dataDir: target,
          databaseUrl: site.databaseUrl,
          workers: 0,
        });
        const there = { send: core.fetch, origin: open.origin };
        const signIn = (code: string) => login(there, { email: EMAIL, password: PASSWORD, code });
        try {
          if (hasKey) assert.ok(await signIn(codeOf(0)));
          else await assert.rejects(signIn(codeOf(0)), { code: "internal" });
          assert.ok(await signIn(recovery_codes[0]!));
        } finally {
          await core.close();
        }
        assert.equal(await verify("", site), 0);
      }
    } finally {
      for (const each of [folder, targets]) await Deno.remove(each, { recursive: true });
    }
  },
);

coreTest(
  "a backup goes onto a new disk, and beside a backup of before an upgrade",
  async ({ dataDir }) => {
    const site = environmentOf(dataDir, siteOf(dataDir)), folder = await Deno.makeTempDir();
    try {
      await Deno.mkdir(`${folder}/lost+found`, { mode: 0 });
      assert.equal(await backup(folder, site), 0);
      const apart = `${folder}/before`;
      assert.equal(await backup(apart, site), 0);
      const note = await Deno.readTextFile(`${apart}/backup.json`);
      await addStudyWithFiles(dataDir, "NIGHT");
      assert.equal(await backup(folder, site), 0);
      for (const each of [folder, apart]) assert.equal(await verify(each, site), 0);
      assert.equal(await Deno.readTextFile(`${apart}/backup.json`), note);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test("restore() does not put a database beside another one's unwritten pages", () =>
  withCore(async ({ dataDir }) => {
    const folder = await Deno.makeTempDir(),
      target = await Deno.makeTempDir(),
      path = `${target}/core.sqlite`;
    await addStudyWithFiles(dataDir, "A");
    const other = new DatabaseSync(path);
    try {
      assert.equal(await backup(folder, environmentOf(dataDir)), 0);
      other.exec("PRAGMA journal_mode = WAL");
      for (let n = 0; n < 50; n++) other.exec(`CREATE TABLE t${n} (a)`);
      // leaves the write-ahead log as after a killed process
      const pages = await Deno.readFile(`${path}-wal`);
      other.close();
      await Deno.remove(path);
      await Deno.writeFile(`${path}-wal`, pages);
      await assert.rejects(restore(folder, environmentOf(target)), /core\.sqlite-wal/);
      await Deno.remove(`${path}-wal`);
      assert.equal(await restore(folder, environmentOf(target)), 0);
      assert.equal(await verify("", environmentOf(target)), 0);
    } finally {
      for (const each of [folder, target]) await Deno.remove(each, { recursive: true });
    }
  }));

coreTest(
  "a sealed backup opens with its key alone, is brought up to date, and restored it is the same site",
  async (test) => {
    const { dataDir } = test, folder = await Deno.makeTempDir(), target = await Deno.makeTempDir();
    const keys = await Deno.makeTempDir(), right = `${keys}/right`, other = `${keys}/other`;
    await Deno.writeTextFile(right, "5a".repeat(32) + "\n");
    await Deno.writeTextFile(other, "5b".repeat(32) + "\n");
    const site = environmentOf(dataDir, siteOf(dataDir)),
      sealed = { ...site, backupKeyFile: right };
    const next = {
      ...environmentOf(target, siteOf(dataDir) && await newPostgres()),
      backupKeyFile: right,
    };
    await fill(test);
    try {
      assert.equal(await backup(folder, sealed), 0);
      await addStudyWithFiles(dataDir, "LATER");
      assert.equal(await backup(folder, sealed), 0);
      assert.equal(await verify(folder, sealed), 0);
      // the backup contains no patient data in plain text
      for (const hash of await listBlobFiles(`${folder}/blobs`)) {
        const bytes = await Deno.readFile(blobPath(`${folder}/blobs`, hash));
        assert.equal(new TextDecoder().decode(bytes.subarray(0, 8)), "SULCUS1\n");
      }
      const text = new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/core.sqlite`));
      assert.equal(/SQLite format|LATER/.test(text), false);
      assert.equal(
        [...Deno.readDirSync(dataDir)].some(({ name }) => name.startsWith("backup.sqlite")),
        false,
      );

      await assert.rejects(verify(folder, site), { code: "input.invalid" });
      await assert.rejects(backup(folder, site), { code: "input.invalid" });
      await assert.rejects(verify(folder, { ...site, backupKeyFile: other }), {
        code: "file.damaged",
      });
      await assert.rejects(restore(folder, { ...next, backupKeyFile: other }), {
        code: "file.damaged",
      });
      await assert.rejects(restore(folder, { ...next, backupKeyFile: null }), {
        code: "input.invalid",
      });

      const before = await seen(test);
      assert.equal(await restore(folder, next), 0);
      const core = await createCore({ dataDir: target, databaseUrl: next.databaseUrl, workers: 0 });
      try {
        const open = { send: core.fetch, origin: "http://core" };
        assert.deepEqual(await seen({ core, open }), before);
      } finally {
        await core.close();
      }
      // a truncated file in the backup is named
      const [hash] = await listBlobFiles(`${folder}/blobs`),
        cut = blobPath(`${folder}/blobs`, hash!);
      await Deno.truncate(cut, (await Deno.stat(cut)).size - 1);
      assert.equal(await verify(folder, sealed), 1);
    } finally {
      for (const each of [folder, target, keys]) await Deno.remove(each, { recursive: true });
    }
  },
);

Deno.test("verify says when a backup was written, and by which version", () =>
  withCore(async ({ dataDir }) => {
    const folder = await Deno.makeTempDir(), site = { SULCUS_DATA_DIR: dataDir };
    try {
      assert.equal((await adminHere(site, "backup", folder)).code, 0);
      const { code, out } = await adminHere(site, "verify", folder);
      assert.equal(code, 0, out);
      const { created_at } = JSON.parse(await Deno.readTextFile(`${folder}/backup.json`));
      assert.ok(out.includes(`Written    ${created_at}, version ${VERSION}\n`), out);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }));
