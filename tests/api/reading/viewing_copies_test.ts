// covers: S-129
import assert from "node:assert/strict";
import { getSeriesVolume, listSeries } from "@/client/api/reading/series.ts";
import { deletePatient, uploadFiles } from "@/client/api/studies/patients.ts";
import { purgeStudy, restoreStudy } from "@/client/api/studies/bin.ts";
import { affineFromRowMajor, applyAffine, rowMajor } from "@/model/geometry.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { blobsOfPatient, deleteUnusedBlobs, usesOfBlob } from "@/server/core/blobs/blob_index.ts";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import {
  blobsOnDisk,
  colleague,
  coreTest,
  openBeside,
  type TestCore,
} from "@/tests/sites/core_site.ts";
import { until } from "@/tests/sites/until.ts";

const T2: Acquisition = {
  name: "t2_tse_tra",
  ...TIMING.t2,
  slices: 24,
  stepMm: 5,
  window: { level: 480, width: 900 },
  // column, row and slice of a bright voxel; +x is left and +y posterior in DICOM
  mark: [15, 3, 20],
};
const EXAMINATION: Acquisition[] = [
  { name: "AAHead_Scout", ...TIMING.scout },
  { name: "t1_mprage", ...TIMING.mprage },
  T2,
  { name: "ADC", imageType: ["DERIVED", "PRIMARY", "ADC"], ...TIMING.diffusion, slices: 3 },
  { name: "two slices", ...TIMING.t2, slices: 2 },
  { name: "slices that no voxel can have", ...TIMING.t2, slices: 6, stepMm: 12 },
  { name: "t1_mprage +C", ...TIMING.mprage, contrastAgent: "Gadovist", slices: 45 },
];
const T2_NUMBER = 3;

const send = ({ api }: TestCore, acquisitions: readonly Acquisition[]) =>
  uploadFiles(api, acquisitions.flatMap((one, n) => writeAcquisition(one, 1, n + 1)));

/** Volumes that the viewer can show, by series description. */
const copiesOf = async ({ api }: TestCore) =>
  new Map(
    (await listSeries(api, 1)).refused.map(({ description, volume }) => [description, volume]),
  );

/** Hashes of all stored blobs; checks that all are on disk and referenced, and no others exist. */
async function storedBlobs({ dataDir }: TestCore): Promise<string[]> {
  const db = await openBeside(dataDir);
  try {
    assert.equal(await deleteUnusedBlobs(db, () => Promise.resolve()), 0);
    const rows = await db.selectFrom("blobs").select("hash").orderBy("hash").execute();
    const hashes = rows.map(({ hash }) => hash);
    // with PostgreSQL, files are removed after the response
    await until(() => String(blobsOnDisk(dataDir)) === String(hashes));
    return hashes;
  } finally {
    await db.destroy();
  }
}

coreTest(
  "series that are not analysed can be looked at, left is left, and nothing else of the upload is different",
  async (site) => {
    const { api, open, dataDir } = site, answer = await send(site, EXAMINATION);
    assert.deepEqual([answer.success, answer.failed.length], [1, 50 + 24 + 3 + 2 + 6 + 45]);
    const { series, refused } = await listSeries(api, 1);
    assert.deepEqual(series.map(({ description }) => description), ["t1_mprage"]);
    assert.deepEqual(
      refused.map((
        { description, reason, volume },
      ) => [description, reason, volume?.shape ?? null]),
      [
        ["AAHead_Scout", "localizer", null],
        ["ADC", "derived", [18, 24, 3]],
        ["slices that no voxel can have", "unclassified", null],
        ["t1_mprage +C", "other_series_chosen", [18, 24, 45]],
        ["t2_tse_tra", "unclassified", [18, 24, 24]],
        ["two slices", "unclassified", null],
      ],
    );
    const t2 = refused.find(({ description }) => description === T2.name)!.volume!;
    assert.deepEqual(t2.window, T2.window);
    const file = await (await getSeriesVolume(api, t2.volume_url)).bytes();
    const { voxels, shape, rasFromIjk } = decodeNifti(file);
    // JSON cannot represent -0
    assert.deepEqual([shape, rowMajor(rasFromIjk).map((x) => x + 0)], [t2.shape, t2.affine]);
    const at = voxels.indexOf(2000), [nx, ny] = shape;
    const ijk = [at % nx, Math.floor(at / nx) % ny, Math.floor(at / (nx * ny))] as const;
    const mm = applyAffine(affineFromRowMajor<"Ras", "Ijk">(t2.affine), ijk);
    // column 15, row 3 and slice 20 of a stack that begins at -80, -110, -70 LPS
    assert.deepEqual(mm.map(Math.round), [-(-80 + 9 * 15), -(-110 + 9 * 3), -70 + 5 * 20]);

    // another session can read the volume; without a session, or by another URL or study, it fails
    const other = await colleague(open, dataDir);
    assert.equal((await (await getSeriesVolume(other, t2.volume_url)).bytes()).length, file.length);
    await assert.rejects(getSeriesVolume(open, t2.volume_url), { code: "token.missing" });
    for (
      const url of [
        t2.volume_url.slice(0, -1),
        `${t2.volume_url.slice(0, -1)}x`,
        "/api/v1/patients/1/series/refused/volume",
      ]
    ) {
      await assert.rejects(getSeriesVolume(api, url), { code: "entity.not_found" }, url);
    }
    const db = await openBeside(dataDir);
    const { volume_blob } = await db.selectFrom("refused_series").select("volume_blob")
      .where("description", "=", T2.name).executeTakeFirstOrThrow();
    assert.deepEqual(await usesOfBlob(db, volume_blob!), [{ pid: 1, what: "volume" }]);
    assert.ok((await blobsOfPatient(db, 1)).includes(volume_blob!));
    // images of a second patient in the same study get no volume next to the first patient's
    await db.updateTable("refused_series").set({ volume_blob: null, volume: null }).execute();
    await db.updateTable("patients").set({ patient_id: "SOMEBODY-ELSE" }).execute();
    await db.destroy();
    await send(site, EXAMINATION);
    assert.deepEqual([...(await copiesOf(site)).values()].filter(Boolean), []);
  },
);

coreTest(
  "a viewing copy gives way to a newer one and to the series itself, and goes and comes with its study",
  async (site) => {
    const { api, dataDir } = site;
    const sent = [EXAMINATION[0]!, EXAMINATION[1]!, T2];
    await send(site, sent);
    const first = await storedBlobs(site), before = (await copiesOf(site)).get(T2.name)!;
    assert.equal(first.length, 50 + 1 + 1);
    await send(site, sent);
    assert.deepEqual(await storedBlobs(site), first);
    await send(site, [...sent.slice(0, 2), { ...T2, slices: 30 }]);
    const after = (await copiesOf(site)).get(T2.name)!;
    assert.deepEqual([before.shape, after.shape], [[18, 24, 24], [18, 24, 30]]);
    await assert.rejects(getSeriesVolume(api, before.volume_url), { code: "entity.not_found" });
    const stored = await storedBlobs(site);
    assert.equal(stored.length, first.length);

    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({ status: "failed", error_code: "engine.crashed" })
      .execute();
    await deletePatient(api, 1);
    assert.deepEqual(await storedBlobs(site), stored);
    await restoreStudy(api, 1);
    assert.deepEqual((await copiesOf(site)).get(T2.name), after);
    await getSeriesVolume(api, after.volume_url).then((answer) => answer.bytes());

    // the series is used after all, because the user chose its type
    await uploadFiles(api, writeAcquisition({ ...T2, slices: 26 }, 1, T2_NUMBER), "t2");
    const { series, refused } = await listSeries(api, 1);
    assert.deepEqual([series.length, refused.map(({ description }) => description)], [2, [
      "AAHead_Scout",
    ]]);
    assert.equal((await storedBlobs(site)).length, 50 + 1 + 26 + 1);
    await assert.rejects(getSeriesVolume(api, after.volume_url), { code: "entity.not_found" });
    await db.updateTable("analyses").set({ status: "failed", error_code: "engine.crashed" })
      .execute();
    await db.destroy();
    // and no second copy is stored when the whole study is sent again
    await send(site, [...sent.slice(0, 2), { ...T2, slices: 26 }]);
    assert.equal((await storedBlobs(site)).length, 50 + 1 + 26 + 1);

    await deletePatient(api, 1);
    await purgeStudy(api, 1);
    assert.deepEqual(await storedBlobs(site), []);
  },
);
