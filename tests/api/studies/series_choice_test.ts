// covers: D1-3.8
import assert from "node:assert/strict";
import { listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { listSeries } from "@/client/api/reading/series.ts";
import { findStoredStudies } from "@/client/api/studies/upload.ts";
import { scanFile } from "@/client/dicom_scan/scan.ts";
import type { StoredStudiesRequest } from "@/model/schema/studies/upload.ts";
import { storedAsText } from "@/model/text/worklist/upload_values.ts";
import { reasonIn, seriesTitleIn } from "@/model/text/worklist/upload.ts";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { openData } from "@/server/core/mod.ts";
import { allAnalysed, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import { setGroup } from "@/tests/sites/group_settings.ts";

const EXAMINATION: Acquisition[] = [
  { name: "AAHead_Scout", ...TIMING.scout },
  { name: "t1_mprage_sag", ...TIMING.mprage },
  { name: "t1_mprage MIP", imageType: ["DERIVED", "SECONDARY", "MIP"], ...TIMING.mprage },
  { name: "t2_tse_tra", ...TIMING.t2 },
  { name: "t2_tirm_cor_p2", ...TIMING.stir },
  { name: "t2_tirm_tra_dark-fluid", ...TIMING.flair },
  { name: "TOF_3D", ...TIMING.angiography },
  { name: "ep2d_diff_ADC", imageType: ["DERIVED", "PRIMARY", "ADC", "ND"], ...TIMING.diffusion },
];

/** Uploads an examination. @returns stored series by kind, and reasons for unused series. */
async function upload(
  { api, dataDir }: TestCore,
  acquisitions: readonly Acquisition[],
  study: number,
) {
  const answer = await uploadFiles(
    api,
    acquisitions.flatMap((one, n) => writeAcquisition(one, study, n + 1)),
  );
  const reasons = new Map(answer.failed.map((f) => [Number(f.file_name.split("_")[0]), f.reason]));
  const db = openData(dataDir);
  try {
    const rows = await db.selectFrom("series").select(["kind", "description"])
      .where("pid", "in", answer.pid_list).execute();
    return {
      success: answer.success,
      stored: Object.fromEntries(rows.map((row) => [row.kind, row.description])),
      reasons: acquisitions.map((_, n) => reasons.get(n + 1) ?? "stored"),
    };
  } finally {
    await db.destroy();
  }
}

Deno.test("an upload of a whole examination keeps its T1w and its FLAIR, and says why it leaves the others", () =>
  withCore(async (site) => {
    assert.deepEqual(await upload(site, EXAMINATION, 1), {
      success: 1,
      stored: { t1: "t1_mprage_sag", t2: "t2_tirm_tra_dark-fluid" },
      reasons: [
        "localizer",
        "stored",
        "derived",
        "unclassified",
        "unclassified",
        "stored",
        "unclassified",
        "derived",
      ],
    });
    const { patients: [row] } = await listPatients(site.api);
    assert.deepEqual([row!.is_t1_uploaded, row!.is_t2_uploaded], [true, true]);
    // readers of the study see the unused series with the reasons
    const refused = async () => {
      const { series, refused } = await listSeries(site.api, row!.pid);
      return [
        series.length,
        Object.fromEntries(refused.map(({ description, reason }) => [description, reason])),
      ];
    };
    const left = {
      AAHead_Scout: "localizer",
      TOF_3D: "unclassified",
      ep2d_diff_ADC: "derived",
      "t1_mprage MIP": "derived",
      t2_tirm_cor_p2: "unclassified",
      t2_tse_tra: "unclassified",
    };
    assert.deepEqual(await refused(), [2, left]);
    // a series that is used later is no longer listed as unused
    const alone = EXAMINATION.findIndex(({ name }) => name === "t2_tse_tra");
    const files = writeAcquisition(EXAMINATION[alone]!, 1, alone + 1);
    const db = openData(site.dataDir);
    await db.updateTable("analyses").set({ status: "failed", error_code: "engine.crashed" })
      .execute();
    await db.destroy();
    await uploadFiles(site.api, files, "t2");
    const { t2_tse_tra: _, ...rest } = left;
    assert.deepEqual(await refused(), [3, rest]);
  }));

Deno.test("the group settings' tags and includes decide which series of the next upload are kept", () =>
  withCore(async (site) => {
    const named: Acquisition[] = [
      { name: "Serie A", protocol: "Kopf Anatomie", ...TIMING.protonDensity },
      { name: "T1 MPRAGE", ...TIMING.mprage },
      { name: "Serie B", protocol: "Kopf Wasserunterdrückung" },
    ];
    const usual = await upload(site, named, 1);
    assert.deepEqual(usual.stored, { t1: "T1 MPRAGE" });
    await setGroup(site.dataDir, {
      t1w_tag: "(0018,1030)",
      t1w_includes: "anatomie",
      t2w_tag: "Protocol Name",
      t2w_includes: "wasserunterdrück",
    });
    const changed = await upload(site, named, 2);
    assert.deepEqual(changed.stored, { t1: "Serie A", t2: "Serie B" });
    assert.deepEqual(changed.reasons, ["stored", "other_series_chosen", "stored"]);
    await setGroup(site.dataDir, { t1w_includes: "", t2w_includes: "" });
    assert.deepEqual((await upload(site, named, 3)).reasons, [
      "unclassified",
      "stored",
      "unclassified",
    ]);
  }));

/** The same image declared as RLE, with a fragment that is not RLE data. */
function damaged(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { offset } = readInstance(bytes, "").pixels!, head = bytes.slice(0, offset);
  const syntax = new TextDecoder("latin1").decode(head).indexOf("1.2.840.10008.1.2.1\0");
  head[syntax + 18] = "5".charCodeAt(0);
  new DataView(head.buffer).setUint32(offset - 4, 0xffffffff, true);
  const item = (length: number) => [0xfe, 0xff, 0x00, 0xe0, length, 0, 0, 0];
  const end = [0xfe, 0xff, 0xdd, 0xe0, 0, 0, 0, 0];
  return Uint8Array.from([...head, ...item(0), ...item(66), ...Array(66).fill(9), ...end]);
}

// covers: D1-3.2, S-17
Deno.test("of two T1w the second is taken when the better one cannot be read, and the answer says so by name", () =>
  withCore(async ({ api, dataDir }) => {
    const better = { name: "t1_mprage", ...TIMING.mprage, stepMm: 1, slices: 45 };
    const second = { name: "t1_mprage thick", ...TIMING.mprage, slices: 41 };
    const files = [
      ...writeAcquisition(better, 1, 1).map((file) => ({ ...file, bytes: damaged(file.bytes) })),
      ...writeAcquisition(second, 1, 2),
    ];
    const { success, failed } = await uploadFiles(api, files);
    assert.equal(success, 1);
    assert.equal(failed.length, 45);
    const [{ reason, details, series }] = failed as [typeof failed[0]];
    assert.deepEqual([reason, details?.instead], ["conversion", "t1_mprage thick"]);
    assert.deepEqual([series?.description, series?.slices], ["t1_mprage", 45]);
    assert.ok(series!.patient);
    assert.match(
      reasonIn("en", "conversion", details),
      /Series t1_mprage thick is used instead\.$/,
    );
    assert.match(seriesTitleIn("ko", series!), /^t1_mprage\(슬라이스 45장\), /);
    const db = openData(dataDir);
    const stored = await db.selectFrom("series").select("description").execute();
    const refused = await db.selectFrom("refused_series").select(["description", "reason"])
      .execute();
    await db.destroy();
    assert.deepEqual(stored, [{ description: "t1_mprage thick" }]);
    assert.deepEqual(refused, [{ description: "t1_mprage", reason: "conversion" }]);
  }));

// covers: D1-3.2, S-17
Deno.test("files that contradict their transfer syntax are refused by name, with series and patient", () =>
  withCore(async ({ api }) => {
    const files = writeAcquisition({ name: "t1_mprage", ...TIMING.mprage, slices: 41 }, 1, 1);
    const wrong = files.map((file) => {
      const bytes = Buffer.from(file.bytes), at = bytes.indexOf("1.2.840.10008.1.2.1\0", 132);
      bytes.write("1.2.840.10008.1.2\0\0\0", at, "latin1");
      return { ...file, bytes: new Uint8Array(bytes) };
    });
    const { success, failed } = await uploadFiles(api, wrong);
    assert.deepEqual([success, failed.length], [0, 41]);
    assert.deepEqual(
      failed.map(({ file_name }) => file_name).sort(),
      files.map(({ fileName }) => fileName).sort(),
    );
    for (const { reason, details, series } of failed) {
      assert.equal(reason, "transfer_syntax");
      const text = reasonIn("en", "transfer_syntax", details);
      assert.ok(text.includes(String(details!.declared)), text);
      assert.ok(text.includes(storedAsText.explicit.en), text);
      assert.deepEqual([series?.description, series?.slices], ["t1_mprage", 41]);
      assert.ok(series!.patient);
    }
  }));

// covers: S-20
Deno.test("studies need not be sent again when the same files, or stored ones alone, came before", () =>
  withCore(async (site) => {
    const { api, dataDir } = site,
      files = EXAMINATION.map((one, n) => writeAcquisition(one, 1, n + 1));
    const headers = await Promise.all(
      files.flat().map(({ bytes }, index) =>
        scanFile({ index, file: new File([bytes], ""), isNamed: true })
      ),
    );
    const uids = new Map<string, string[]>();
    let study_uid = "", patient_id = "";
    for (const one of headers) {
      if (!("tags" in one)) throw new Error("unreadable");
      const { tags } = one;
      [study_uid, patient_id] = [tags.studyUid, tags.patientId];
      uids.set(tags.seriesDescription, [
        ...uids.get(tags.seriesDescription) ?? [],
        tags.instanceUid,
      ]);
    }
    const all = [...uids.values()].flat();
    const ask = async (
      instances: string[],
      others: Partial<StoredStudiesRequest["studies"][0]> = {},
    ) =>
      (await findStoredStudies(api, { studies: [{ study_uid, patient_id, instances, ...others }] }))
        .stored;
    assert.deepEqual(await ask(all), []);
    await upload(site, EXAMINATION, 1);
    const waiting = [{ study_uid, pid: 1, is_analyzing: true }];
    assert.deepEqual(await ask(all.toReversed()), waiting);
    assert.deepEqual(
      await ask([...uids.get("t1_mprage_sag")!, ...uids.get("t2_tirm_tra_dark-fluid")!]),
      waiting,
    );
    // a series that gave way to a better one may be stored if sent alone
    assert.deepEqual(await ask(uids.get("t2_tse_tra")!), []);
    assert.deepEqual(await ask(all.slice(1)), []);
    assert.deepEqual(await ask(all, { patient_id: "SOMEBODY-ELSE" }), []);
    const typed = await findStoredStudies(api, {
      series_type: "t1",
      studies: [{ study_uid, patient_id, instances: all }],
    });
    assert.deepEqual(typed.stored, []);
    await setGroup(dataDir, { t1w_includes: "something" });
    assert.deepEqual(await ask(all), [], "other rules may choose another series");
  }));

Deno.test("the same images under two names are not stored as T1w and as FLAIR", () =>
  withCore(async (site) => {
    const t1: Acquisition = { name: "t1_mprage", ...TIMING.mprage, picture: 5 };
    const flair: Acquisition = { name: "t2_tirm_tra_dark-fluid", ...TIMING.flair3d, picture: 5 };
    assert.deepEqual((await upload(site, [t1, flair], 1)).reasons, ["stored", "same_images"]);
    await allAnalysed(site.api);
    // nor if one of the two series is already stored
    const { failed } = await uploadFiles(site.api, writeAcquisition(flair, 1, 3));
    assert.ok(failed.length === 50 && failed.every(({ reason }) => reason === "same_images"));
  }, { workers: 1 }));

Deno.test("an image that is sent again under another instance UID is left out", () =>
  withCore(async ({ api }) => {
    const files = writeAcquisition({ name: "t1_mprage_sag", ...TIMING.mprage }, 1, 1);
    const { fileName, bytes } = files[20]!, copy = bytes.slice();
    const uid = new TextEncoder().encode(readInstance(bytes, fileName).instanceUid);
    // in the meta information and in the data set
    for (let at = 0; at >= 0;) {
      at = Buffer.from(copy.buffer).indexOf(uid, at);
      if (at < 0) break;
      at += uid.length;
      copy[at - 1] = copy[at - 1] === 0x39 ? 0x38 : 0x39;
    }
    const again = { fileName: `again_${fileName}`, bytes: copy };
    assert.notEqual(readInstance(copy, "").instanceUid, readInstance(bytes, "").instanceUid);
    const first = await uploadFiles(api, [...files, again]);
    assert.equal(first.success, 1);
    const reasons = first.failed.map(({ reason }) => reason);
    assert.deepEqual(reasons, ["duplicate_instance"]);
  }));
