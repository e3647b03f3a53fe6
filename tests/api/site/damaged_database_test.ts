// covers: S-108
import assert from "node:assert/strict";
import { createCore } from "@/server/core/mod.ts";
import { adminHere, adminProcess } from "@/tests/sites/admin_command.ts";
import { EMAIL, PASSWORD } from "@/tests/sites/core_site.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";

const on = (dataDir: string) => ({ SULCUS_DATA_DIR: dataDir });
const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

/** A stopped site with a study, and a backup of the site. */
async function stoppedSite(): Promise<{ root: string; dataDir: string; backup: string }> {
  const root = await Deno.makeTempDir(), dataDir = `${root}/data`, backup = `${root}/backup`;
  const core = await createCore({
    dataDir,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
  });
  await core.close();
  await addStudyWithFiles(dataDir, "A");
  assert.equal((await adminHere(on(dataDir), "backup", backup)).code, 0);
  return { root, dataDir, backup };
}

for (
  const [name, size] of [["to nothing", 0], ["within its head", 60], ["to one page", 5000], [
    "by a page",
    -4096,
  ]] as const
) {
  Deno.test(`a database that was cut short ${name} is told in one line, and nothing is changed`, async () => {
    const { root, dataDir } = await stoppedSite(), path = `${dataDir}/core.sqlite`;
    try {
      for (const end of ["-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
      const { size: whole } = await Deno.stat(path);
      await Deno.truncate(path, size < 0 ? whole + size : size);
      const before = await Deno.readFile(path), blobs = namesIn(`${dataDir}/blobs`);
      await assert.rejects(
        createCore({ dataDir, workers: 0 }),
        /^AppError: Cannot open the database [^\n]*$/,
      );
      const { code, err } = await adminProcess(on(dataDir), "user", "list");
      assert.equal(code, 1);
      assert.match(err, /^Cannot open the database \S+: it is [^\n]*\n$/);
      assert.deepEqual(await Deno.readFile(path), before);
      assert.deepEqual(namesIn(`${dataDir}/blobs`), blobs);
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  });
}

Deno.test("a restore that fails says why in one line, and leaves nothing behind", async () => {
  const { root, backup } = await stoppedSite();
  try {
    await Deno.truncate(`${backup}/core.sqlite`, 5000);
    const { code, err } = await adminProcess(on(`${root}/a/new`), "restore", backup);
    assert.equal(code, 1);
    assert.match(err, /^core\.sqlite has other bytes [^\n]+\nCannot restore: [^\n]+\n$/);
    const even = await adminHere(on(`${root}/a/new`), "restore", backup, "--accept-damage");
    assert.equal(even.code, 1);
    assert.match(even.err, /\nCannot restore: the database of the backup in \S+ is damaged\n$/);
    assert.deepEqual(namesIn(root), ["backup", "data"]);
    await Deno.mkdir(`${root}/there`);
    await adminHere(on(`${root}/there`), "restore", backup);
    assert.deepEqual(namesIn(`${root}/there`), ["lock"]);
    await Deno.remove(`${backup}/core.sqlite`);
    assert.equal((await adminHere(on(`${root}/b`), "restore", backup)).code, 1);
    assert.deepEqual(namesIn(root), ["backup", "data", "there"]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
