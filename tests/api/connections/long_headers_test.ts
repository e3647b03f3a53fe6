// covers: S-121
// DICOMweb over files whose headers are longer than one expects, and over files that cannot be read at all.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import dicomParser from "dicom-parser";
import type { Api } from "@/client/api/http.ts";
import { ANY_ROUTING_RULE, type RoutingRule } from "@/model/schema/connections/connections.ts";
import { getRouting, testRouting } from "@/client/api/connections/connections.ts";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { readMultipart } from "@/server/wire/multipart.ts";
import { SCANS, withScans } from "@/server/core/dicom/read/scans_testing.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { noteOrders } from "@/server/core/connections/service/orders.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { type Filling, withLongHeader } from "@/tests/sites/long_header.ts";
import { phantomSeries, withAccession } from "@/tests/sites/phantom_series.ts";
import { addStudyWithFiles } from "@/tests/sites/stored_studies.ts";

const ROOT = "/api/v1/dicomweb", STUDIES = `${ROOT}/studies`, KB = 1024, MB = KB * KB;
const LENGTHS = [64 * KB - 1, 64 * KB, 64 * KB + 1, 100_000, MB, Math.floor(7.9 * MB)];
type Attributes = Record<string, { vr: string; Value?: unknown[] }>;
type File = { fileName: string; bytes: Uint8Array<ArrayBuffer> };

const getter = ({ core, api }: TestCore) => (path: string, accept = "*/*") =>
  core.fetch(
    new Request(`http://core${path}`, {
      headers: { authorization: `Bearer ${api.token}`, accept },
    }),
  );

async function found(answer: Promise<Response>): Promise<Attributes[]> {
  const { status, body } = await answer.then(async (one) => ({
    status: one.status,
    body: await one.text(),
  }));
  assert.ok([200, 204].includes(status), `${status} ${body.slice(0, 300)}`);
  return status === 204 ? [] : JSON.parse(body);
}

/** Parts of an answer by their SOP Instance UID. */
async function parts(answer: Response): Promise<Map<string, Uint8Array>> {
  const all = new Map<string, Uint8Array>();
  for await (const part of readMultipart(answer.body!, answer.headers.get("content-type")!)) {
    const bytes = new Uint8Array(await new Response(ReadableStream.from(part.body)).arrayBuffer());
    all.set(dicomParser.parseDicom(bytes, { untilTag: "x0020000e" }).string("x00080018")!, bytes);
  }
  return all;
}

const uidsOf = ({ bytes }: File) => {
  const dataSet = dicomParser.parseDicom(bytes, { untilTag: "x7fe00010" });
  const [study, series, instance] = ["x0020000d", "x0020000e", "x00080018"].map((tag) =>
    dataSet.string(tag)!
  );
  return { study: study!, series: series!, instance: instance! };
};

async function upload(api: Api, files: readonly File[]): Promise<void> {
  const { pid_list, failed } = await uploadFiles(api, files);
  assert.deepEqual([pid_list.length, failed], [1, []]);
}

/** Searches on every level answer for a study, and for one of another patient; so do all that read one of its images. */
async function answersFor(
  test: TestCore,
  files: readonly File[],
  patientId: string,
): Promise<void> {
  const get = getter(test), { study, series } = uidsOf(files[0]!);
  const query = new URLSearchParams({ PatientID: patientId });
  const [one, ...more] = await found(get(`${STUDIES}?${query}`));
  assert.deepEqual([one!["0020000D"]!.Value, one!["00201208"]!.Value, more.length], [
    [study],
    [files.length],
    0,
  ]);
  assert.ok((await found(get(STUDIES))).length > 0);
  assert.equal((await found(get(`${STUDIES}?PatientID=SOMEBODY-ELSE`))).length, 0);
  const folder = `${STUDIES}/${study}/series/${series}`;
  const [its] = await found(get(`${STUDIES}/${study}/series?Modality=MR`));
  assert.deepEqual(its!["0020000E"]!.Value, [series]);
  assert.equal((await found(get(`${ROOT}/series?SeriesInstanceUID=${series}`))).length, 1);
  for (const asked of [`${folder}/instances`, `${STUDIES}/${study}/instances?includefield=all`]) {
    assert.equal((await found(get(asked))).length, files.length);
  }
  // each search for one image reads those beside it
  for (const file of files.slice(0, LENGTHS.length + 1)) {
    const { instance } = uidsOf(file), folderOfOne = `${folder}/instances/${instance}`;
    const [filtered] = await found(get(`${ROOT}/instances?SOPInstanceUID=${instance}`));
    assert.deepEqual(filtered!["00080018"]!.Value, [instance]);
    const whole = await get(folderOfOne, "application/dicom");
    assert.deepEqual([whole.status, new Uint8Array(await whole.arrayBuffer())], [200, file.bytes]);
  }
}

/** Puts a file in the place of the stored one of its instance, as a version without the limit of uploads stored it. */
async function storeInstead({ dataDir }: TestCore, file: File): Promise<void> {
  const hash = createHash("sha256").update(file.bytes).digest("hex"),
    db = await openBeside(dataDir);
  try {
    const folder = `${dataDir}/blobs/${hash.slice(0, 2)}/${hash.slice(2, 4)}`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeFile(`${folder}/${hash}`, file.bytes);
    await insertBlobs(db, [{ hash, sizeBytes: file.bytes.length }], "2026-01-05T00:00:00Z");
    await db.updateTable("instances").set({ blob: hash }).where(
      "sop_uid",
      "=",
      uidsOf(file).instance,
    )
      .execute();
  } finally {
    await db.destroy();
  }
}

/** Metadata, frames and pictures of one image. */
async function answersOf(test: TestCore, file: File): Promise<void> {
  const get = getter(test), { study, series, instance } = uidsOf(file);
  const one = `${STUDIES}/${study}/series/${series}/instances/${instance}`;
  const [metadata] = await found(get(`${one}/metadata`));
  assert.deepEqual(metadata!["00080018"]!.Value, [instance]);
  assert.ok(metadata!["00280010"]!.Value);
  const wado = new URLSearchParams({
    requestType: "WADO",
    studyUID: study,
    seriesUID: series,
    objectUID: instance,
    contentType: "application/dicom",
  });
  for (
    const path of [`${one}/frames/1`, `${one}/rendered`, `${one}/thumbnail`, `${ROOT}/wado?${wado}`]
  ) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    await answer.body?.cancel();
  }
}

for (const filling of ["private", "sequence", "open_sequence"] satisfies Filling[]) {
  Deno.test(`DICOMweb answers for images whose headers are up to 8 MB of ${filling}, and lists those beyond`, () =>
    withCore(async (test) => {
      const files = phantomSeries("short", "LONG-1").map((file, at) => ({
        ...file,
        bytes: at < LENGTHS.length ? withLongHeader(file.bytes, LENGTHS[at]!, filling) : file.bytes,
      }));
      const last = files.length - 1;
      await upload(test.api, files);
      files[last] = {
        ...files[last]!,
        bytes: withLongHeader(files[last]!.bytes, 8 * MB + 2, filling),
      };
      await storeInstead(test, files[last]!);
      await answersFor(test, files, "LONG-1");
      for (const file of files.slice(0, LENGTHS.length + 1)) await answersOf(test, file);
      const get = getter(test), { study, series, instance } = uidsOf(files[last]!);
      const refused = await get(
        `${STUDIES}/${study}/series/${series}/instances/${instance}/metadata`,
      );
      assert.deepEqual([refused.status, (await refused.json()).code], [
        422,
        "engine.unsupported_input",
      ]);
      const all = await found(get(`${STUDIES}/${study}/metadata`));
      assert.equal(all.length, files.length);
      assert.equal((await parts(await get(`${STUDIES}/${study}`))).size, files.length);
    }));
}

Deno.test("a first image with a header beyond 8 MB leaves the study and the series to the database", () =>
  withCore(async (test) => {
    const files = phantomSeries("short", "LONG-2");
    await upload(test.api, files);
    files[0] = { ...files[0]!, bytes: withLongHeader(files[0]!.bytes, 8 * MB + 2) };
    await storeInstead(test, files[0]!);
    await answersFor(test, files, "LONG-2");
    const [study] = await found(getter(test)(`${STUDIES}?PatientID=LONG-2`));
    assert.deepEqual(
      ["00100030", "00100040", "00080020"].map((tag) => study![tag]?.Value),
      [["19580312"], ["F"], ["20260105"]],
    );
    assert.match(JSON.stringify(study!["00100010"]), /Haneul/);
  }));

Deno.test("a stored file that cannot be read fails no list, and is logged once with its name", async () => {
  const lines: { message: string; blob: unknown }[] = [];
  await withCore(async (test) => {
    const { api, dataDir } = test, files = phantomSeries("short", "LONG-3"), get = getter(test);
    const odd = await addStudyWithFiles(dataDir, "ODD-1"), db = await openBeside(dataDir);
    try {
      await db.updateTable("patients").set({ study_uid: "1.2.3.99" }).where("pid", "=", odd)
        .execute();
      await db.updateTable("series").set({ series_uid: "1.2.3.99.1" }).where("pid", "=", odd)
        .execute();
      await upload(api, files);
      await answersFor(test, files, "LONG-3");
      const [study] = await found(get(`${STUDIES}?StudyInstanceUID=1.2.3.99`));
      assert.deepEqual([study!["00100020"]!.Value, study!["00201208"]!.Value], [["ODD-1"], [2]]);
      const [series] = await found(get(`${STUDIES}/1.2.3.99/series`));
      assert.deepEqual([series!["0020000E"]!.Value, series!["0008103E"]!.Value], [["1.2.3.99.1"], [
        "T1w",
      ]]);
      assert.equal((await found(get(`${STUDIES}/1.2.3.99/metadata`))).length, 2);
      // of a study one image is gone from the disk
      const gone = uidsOf(files[2]!),
        { blob } = await db.selectFrom("instances").select("blob")
          .where("sop_uid", "=", gone.instance).executeTakeFirstOrThrow();
      await Deno.remove(`${dataDir}/blobs/${blob.slice(0, 2)}/${blob.slice(2, 4)}/${blob}`);
      const folder = `${STUDIES}/${gone.study}/series/${gone.series}`;
      for (let n = 0; n < 2; n++) {
        assert.equal((await found(get(`${folder}/instances`))).length, files.length);
        assert.equal((await found(get(`${folder}/metadata`))).length, files.length);
      }
      const rest = await get(folder), given = await parts(rest);
      assert.deepEqual([rest.status, given.size, given.has(gone.instance)], [
        206,
        files.length - 1,
        false,
      ]);
      for (const path of ["", "/metadata", "/frames/1", "/rendered"]) {
        const answer = await get(`${folder}/instances/${gone.instance}${path}`);
        assert.deepEqual([answer.status, (await answer.json()).code], [422, "file.damaged"], path);
      }
      const unread = lines.filter(({ message }) => message.includes("DICOMweb"));
      assert.deepEqual(unread.filter((line) => line.blob === blob).length, 1);
      assert.equal(new Set(unread.map((line) => line.blob)).size, unread.length);
    } finally {
      await db.destroy();
    }
  }, { log: (_level, message, fields) => void lines.push({ message, blob: fields?.blob }) });
});

Deno.test("accession numbers and rules are read behind long headers too", () =>
  withCore(async ({ api, dataDir }) => {
    const files = phantomSeries("short", "LONG-4").map((file) => ({
      ...file,
      bytes: withLongHeader(withAccession(file.bytes, "ACC-77"), 100_000),
    }));
    await upload(api, files);
    const rules: RoutingRule[] = [{ ...ANY_ROUTING_RULE, modality: "MR", action: "keep" }];
    const { studies } = await testRouting(api, { ...await getRouting(api), rules });
    assert.deepEqual(studies.map(({ rule, action }) => [rule, action]), [[0, "keep"]]);
    const db = await openBeside(dataDir),
      blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true });
    try {
      await noteOrders({ db, blobs, log: () => {} } as unknown as ServiceContext, 10);
      const { accession_number } = await db.selectFrom("patients").select("accession_number")
        .executeTakeFirstOrThrow();
      assert.equal(accession_number, "ACC-77");
    } finally {
      await db.destroy();
    }
  }));

Deno.test({
  ...withScans(
    "a real Siemens series whose pixels begin at byte 101,522 is found, described and given back",
  ),
  fn: () =>
    withCore(async (test) => {
      const folder = `${SCANS}/t1_dicom_child_siemens`;
      const files = [...Deno.readDirSync(folder)].map(({ name }) => ({
        fileName: name,
        bytes: Deno.readFileSync(`${folder}/${name}`),
      }));
      const patientId = dicomParser.parseDicom(files[0]!.bytes, { untilTag: "x7fe00010" }).string(
        "x00100020",
      )!;
      await upload(test.api, phantomSeries("short", "OTHER-1"));
      await upload(test.api, files);
      await answersFor(test, files, patientId);
      await answersOf(test, files[0]!);
      assert.equal((await found(getter(test)(`${STUDIES}?PatientID=OTHER-1`))).length, 1);
    }),
});
