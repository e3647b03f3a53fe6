// covers: S-150
import assert from "node:assert/strict";
import { getAcceptances } from "@/client/api/report/acceptance.ts";
import { blobPath } from "@/server/core/blobs/blob_file.ts";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { coreTest, openBeside, siteOf } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";

const run = async (dataDir: string, ...words: string[]) => {
  const url = siteOf(dataDir);
  const on = { SULCUS_DATA_DIR: dataDir, ...url === null ? {} : { SULCUS_DATABASE_URL: url } };
  const { code, out, err } = await adminHere(on, "accept", ...words);
  assert.equal(code, 0, err);
  return out;
};

coreTest("admin accept list reads the headers that no page has read", async (site) => {
  await analysedPhantom(site, studyFiles());
  const out = await run(site.dataDir, "list");
  const { scanners: [scanner] } = await getAcceptances(site.api);
  assert.ok(scanner!.scanner !== "");
  assert.ok(out.startsWith(`${scanner!.scanner}\t${scanner!.protocol}\t`), out);
});

coreTest("a scanner whose header cannot be read at the moment is read later", async (site) => {
  const { api, dataDir } = site;
  await analysedPhantom(site, studyFiles());
  const db = await openBeside(dataDir);
  try {
    const paths = (await db.selectFrom("instances").select("blob").execute())
      .map(({ blob }) => blobPath(`${dataDir}/blobs`, blob));
    for (const path of paths) await Deno.rename(path, `${path}.away`);
    assert.deepEqual((await getAcceptances(api)).scanners, []);
    for (const path of paths) await Deno.rename(`${path}.away`, path);
    assert.equal((await getAcceptances(api)).scanners.length, 1);
  } finally {
    await db.destroy();
  }
});
