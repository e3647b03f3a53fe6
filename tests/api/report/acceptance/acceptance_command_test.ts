// covers: S-150
import assert from "node:assert/strict";
import { beginAcceptance, getAcceptance, getAcceptances } from "@/client/api/report/acceptance.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { DEMO_PATIENTS } from "@/server/commands/demo/demo_patients.ts";
import { T1_GRID } from "@/server/commands/demo/phantom/dicom/series.ts";
import type { Grid } from "@/server/commands/demo/phantom/grid.ts";
import { blobPath } from "@/server/core/blobs/blob_file.ts";
import { adminHere } from "@/tests/sites/admin_command.ts";
import { judgePicture } from "@/tests/sites/norms/judged_pictures.ts";
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

/** Part of a head with voxels of 1 mm, as in the demo, and a whole head with voxels of 2 mm. */
const FINE: Grid = { ...T1_GRID, shape: [64, 72, 40] };
const COARSE: Grid = { ...T1_GRID, shape: [104, 104, 80], spacingMm: [2, 2, 2] };

coreTest(
  "acceptance of the demo's patients: too few; voxels of 2 mm are refused in both languages",
  async (site) => {
    const { api, dataDir } = site;
    const people = DEMO_PATIENTS.filter(({ series }) => series !== "flair");
    for (const patient of people) await analysedPhantom(site, studyFiles({ patient }, FINE));
    const patient = { ...people[0]!, patientId: "2 mm" };
    await analysedPhantom(site, studyFiles({ patient }, COARSE));
    const { scanners } = await getAcceptances(api);
    assert.deepEqual(scanners.map(({ studies }) => studies).sort(), [1, people.length]);
    for (const { scanner, protocol } of scanners) {
      const id = await beginAcceptance(api, { scanner, protocol });
      for (const { place } of (await getAcceptance(api, id)).pictures) {
        await judgePicture(api, { id, place }, "right");
      }
      const { result, allowed } = await getAcceptance(api, id);
      const voxels = result.criteria.find(({ name }) => name === "voxels")!;
      const isCoarse = voxels.value === 2;
      assert.deepEqual([voxels.value, voxels.state], isCoarse ? [2, "failed"] : [1, "passed"]);
      assert.ok(!allowed.includes("percentiles"));
      for (const language of LANGUAGES) {
        const sheet = await run(dataDir, "show", String(id), "--language", language);
        const [why] = textIn(acceptanceText.why, language, { reasons: "\n" }).split("\n");
        const reasons = sheet.split("\n").find((line) => line.startsWith(why!))!;
        assert.ok(sheet.includes(scanner) && sheet.includes(protocol), sheet);
        assert.ok(reasons.includes(acceptanceText.studies[language]), reasons);
        assert.equal(reasons.includes(acceptanceText.voxels[language]), isCoarse, reasons);
      }
    }
  },
);
