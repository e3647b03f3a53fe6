// covers: S-121
/// <reference path="../../sites/xhr2.d.ts" />
// Results beside the images by DICOMweb, read with the client that OHIF is built on, by a system's own key.
import assert from "node:assert/strict";
import dicomParser from "dicom-parser";
import * as dicomweb from "dicomweb-client";
import Xhr from "xhr2";
import { getConnections, renewSystemKey, savePeer } from "@/client/api/connections/connections.ts";
import { acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { openAsWeasis } from "@/tests/sites/connections/weasis.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";

const ROOT = "/api/v1/dicomweb";
/** Of its own types some fields are required that it does without. */
type Client = Record<string, (options?: Record<string, unknown>) => Promise<unknown>>;
type Attributes = Record<string, { Value?: unknown[]; BulkDataURI?: string }>;

/** The calls that OHIF's image loader and Weasis make themselves, each with its own headers. */
async function askAsViewers(
  root: string,
  authorization: Record<string, string>,
  study: Attributes,
  seriesOf: ReadonlyMap<string, string>,
  page: { studyInstanceUID: string; seriesInstanceUID: string; sopInstanceUID: string },
  image: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const url = valueOf(study, "00081190") as string, dataSet = dicomParser.parseDicom(image);
  const studyUID = page.studyInstanceUID, at = dataSet.elements.x7fe00010!.dataOffset;
  assert.equal(url, `${root}${ROOT}/studies/${studyUID}`);
  const get = async (address: string, accept: string) => {
    const answer = await fetch(address, { headers: { ...authorization, accept } });
    return {
      status: answer.status,
      type: answer.headers.get("content-type") ?? "",
      bytes: await answer.bytes(),
    };
  };
  assert.equal((await get(`${root}${ROOT}/studies?PatientName=nobody`, "*/*")).status, 204);
  const seriesUID = dataSet.string("x0020000e")!, objectUID = dataSet.string("x00080018")!;
  const instance = `${url}/series/${seriesUID}/instances/${objectUID}`;
  const { status, type, bytes } = await get(
    `${instance}/frames/1`,
    "multipart/related; type=application/octet-stream; transfer-syntax=*",
  );
  assert.equal(status, 200);
  assert.match(type, /^multipart\/related; type="application\/octet-stream"; boundary=/);
  assert.match(
    new TextDecoder("latin1").decode(bytes.subarray(0, 200)),
    /transfer-syntax=1\.2\.840\.10008\.1\.2\.1\r/,
  );
  const alone = await get(`${instance}/frames/1`, "application/octet-stream");
  assert.deepEqual(alone.bytes, image.slice(at, at + alone.bytes.length));
  const jpegLs = "multipart/related; type=image/jls; transfer-syntax=1.2.840.10008.1.2.4.80";
  assert.equal((await get(`${instance}/frames/1`, jpegLs)).status, 406);
  const sized = await get(
    `${instance}/rendered?window=400,800,linear&viewport=32,32`,
    "image/jpeg",
  );
  assert.deepEqual([sized.type, [...sized.bytes.subarray(0, 2)]], ["image/jpeg", [0xff, 0xd8]]);
  assert.ok(sized.bytes.length < (await get(`${instance}/rendered`, "image/*")).bytes.length);
  for (const query of ["viewport=0,9", "window=a,b", "viewport=9,9,1,1,2,2"]) {
    assert.equal((await get(`${instance}/rendered?${query}`, "image/jpeg")).status, 400, query);
  }
  // Weasis: by the manifest's list of objects through WADO-URI, or by WADO-RS
  const wado = (query: Record<string, string>) =>
    get(
      `${root}${ROOT}/wado?${new URLSearchParams({ requestType: "WADO", studyUID, ...query })}`,
      "*/*",
    );
  const object = { seriesUID, objectUID };
  const whole = await wado({ ...object, contentType: "application/dicom", transferSyntax: "*" });
  assert.deepEqual([whole.type, whole.bytes], [
    "application/dicom; transfer-syntax=1.2.840.10008.1.2.1",
    image,
  ]);
  const weasis = await get(
    instance,
    'multipart/related; type="application/dicom";transfer-syntax=*',
  );
  assert.ok(weasis.bytes.length > image.length && weasis.type.startsWith("multipart/related"));
  const thumbnail = await wado({
    ...object,
    contentType: "image/jpeg",
    rows: "128",
    columns: "128",
  });
  assert.deepEqual([thumbnail.status, thumbnail.type], [200, "image/jpeg"]);
  assert.equal(
    (await wado({ ...object, windowCenter: "300", windowWidth: "600" })).type,
    "image/jpeg",
  );
  const { seriesInstanceUID, sopInstanceUID } = page;
  assert.equal(
    (await wado({ seriesUID: seriesInstanceUID, objectUID: sopInstanceUID })).type,
    "image/jpeg",
  );
  const [document] = JSON.parse(new TextDecoder().decode(
    (await get(`${url}/series/${seriesOf.get("DOC 9104")}/instances`, "application/dicom+json"))
      .bytes,
  )) as Attributes[];
  const pdf = await wado({
    seriesUID: seriesOf.get("DOC 9104")!,
    objectUID: valueOf(document!, "00080018") as string,
  });
  assert.deepEqual([pdf.type, new TextDecoder().decode(pdf.bytes.subarray(0, 5))], [
    "application/pdf",
    "%PDF-",
  ]);
  const statuses = await Promise.all([
    wado({ ...object, contentType: "application/dicom", transferSyntax: "1.2.840.10008.1.2.4.90" }),
    wado({ ...object, objectUID: "1.2.3.404" }),
    wado({ seriesUID }),
    wado({ ...object, anonymize: "yes" }),
  ]);
  assert.deepEqual(statuses.map(({ status }) => status), [406, 404, 400, 400]);
}

/** What Weasis is asked to open, by each of the ways that its address has, is there byte for byte. */
async function openedByWeasis(
  root: string,
  headers: Record<string, string>,
  study: Attributes,
  sent: readonly { bytes: Uint8Array<ArrayBuffer> }[],
): Promise<void> {
  const first = dicomParser.parseDicom(sent[0]!.bytes), seriesUid = first.string("x0020000e")!;
  const images = new Map(
    sent.map(({ bytes }) => [dicomParser.parseDicom(bytes).string("x00080018")!, bytes]),
  );
  const open = (level: "studies" | "series" | "instances", tag: string, value: string) =>
    openAsWeasis(root, headers, { level, tag, value });
  const whole = await open("studies", "0020000D", valueOf(study, "0020000D") as string);
  const files = new Map([...whole.series.values()].flatMap((objects) => [...objects]));
  for (const [uid, bytes] of images) assert.deepEqual(files.get(uid), bytes);
  assert.ok(files.size > images.size && whole.thumbnails > 0);
  const ofSeries = await open("series", "0020000E", seriesUid);
  assert.deepEqual(ofSeries.series.get(seriesUid), whole.series.get(seriesUid));
  const one = await open("instances", "00080018", first.string("x00080018")!);
  assert.deepEqual([...one.series.get(seriesUid)!.values()], [sent[0]!.bytes]);
  const patients = await open("studies", "00100020", first.string("x00100020")!);
  assert.deepEqual(patients.study, whole.study);
  const accession = first.string("x00080050");
  if (accession) {
    assert.deepEqual((await open("studies", "00080050", accession)).study, whole.study);
  }
  for (
    const [query, status] of [["instances?00080018=1.2.3.404", 204], ["series?Modality=MR", 400]]
  ) {
    const answer = await fetch(`${root}/${query}`, { headers });
    await answer.body?.cancel();
    assert.equal(answer.status, status, String(query));
  }
}

/** Lists of UIDs, parameters without a value, and a number that the modality worklist knew but no image has. */
async function searchesOfOthers(
  root: string,
  headers: Record<string, string>,
  dataDir: string,
  pid: number,
  series: readonly string[],
): Promise<void> {
  const find = async (query: string) => {
    const answer = await fetch(`${root}/${query}`, { headers });
    return answer.status === 200
      ? (await answer.json() as Attributes[]).length
      : (await answer.body?.cancel(), 0);
  };
  const each = await Promise.all(series.map((uid) => find(`instances?SeriesInstanceUID=${uid}`)));
  assert.ok(each.every((count) => count > 0));
  assert.equal(
    await find(`instances?SeriesInstanceUID=${series.join(",")}`),
    each.reduce((sum, count) => sum + count),
  );
  assert.equal(await find("studies?limit=&offset="), 1);
  assert.equal(await find(`studies?PatientName=${"*a".repeat(40)}`), 0);
  const db = await openBeside(dataDir);
  await db.updateTable("patients").set({ accession_number: "ORDER-7" }).where("pid", "=", pid)
    .execute();
  await db.destroy();
  for (const level of ["studies", "series", "instances"]) {
    assert.ok(await find(`${level}?AccessionNumber=ORDER-7`) > 0, level);
    assert.equal(await find(`${level}?AccessionNumber=ORDER-8`), 0, level);
  }
}

const valueOf = (attributes: Attributes, tag: string) => attributes[tag]?.Value?.[0];

Deno.test("an OHIF-like client finds the results of a study beside its images and reads them", () => {
  // @ts-ignore -- the client was written for browsers
  globalThis.XMLHttpRequest = Xhr;
  return withCore(async (test) => {
    const { api, core } = test, sent = studyFiles();
    const pid = await analysedPhantom(test, sent);
    await acceptScanner(test, pid);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => core.fetch(request),
    );
    const root = `http://127.0.0.1:${server.addr.port}`;
    try {
      const peer = { name: "Viewer", kind: "dicomweb" as const, config: { url: "http://viewer" } };
      const id = await savePeer(api, null, peer), key = await renewSystemKey(api, id);
      assert.equal((await getConnections(api)).peers[0]!.has_key, true);
      const headers = { authorization: `Bearer ${key}` };
      const client = new dicomweb.api.DICOMwebClient(
        { url: `${root}${ROOT}`, headers } as never,
      ) as unknown as Client;
      // the study list of OHIF
      const queryParams = {
        PatientName: "*kim*",
        limit: 101,
        offset: 0,
        fuzzymatching: true,
        includefield: "00081030,00080060,00080070",
      };
      const [study] = await client.searchForStudies!({ queryParams }) as Attributes[];
      assert.ok(study!["00080070"], "a field that was asked for");
      const studyInstanceUID = valueOf(study!, "0020000D") as string;
      assert.deepEqual(study!["00080061"]!.Value!.toSorted(), ["DOC", "MR", "OT", "SEG", "SR"]);
      const series = await client.searchForSeries!({ studyInstanceUID }) as Attributes[];
      const uidOf = new Map(series.map((one) => [
        `${valueOf(one, "00080060")} ${valueOf(one, "00200011")}`,
        valueOf(one, "0020000E") as string,
      ]));
      assert.deepEqual([...uidOf.keys()].filter((name) => / 91\d\d$/.test(name)).sort(), [
        "DOC 9104",
        "MR 9110",
        "MR 9111",
        "OT 9105",
        "SEG 9101",
        "SEG 9102",
        "SR 9103",
        "SR 9109",
      ]);
      const of = async (name: string) => {
        const seriesInstanceUID = uidOf.get(name)!;
        const metadata = await client.retrieveSeriesMetadata!({
          studyInstanceUID,
          seriesInstanceUID,
        }) as Attributes[];
        const sopInstanceUID = valueOf(metadata[0]!, "00080018") as string;
        return { metadata, where: { studyInstanceUID, seriesInstanceUID, sopInstanceUID } };
      };
      // whole objects, as OHIF asks for SR and SEG
      for (
        const [name, sopClass] of [["SR 9103", "88.22"], ["SEG 9101", "66.4"], [
          "SEG 9102",
          "66.4",
        ]] as const
      ) {
        const { metadata, where } = await of(name);
        assert.deepEqual([metadata.length, valueOf(metadata[0]!, "00080016")], [
          1,
          `1.2.840.10008.5.1.4.1.1.${sopClass}`,
        ]);
        const bytes = new Uint8Array(await client.retrieveInstance!(where) as ArrayBuffer);
        const dataSet = dicomParser.parseDicom(bytes);
        assert.equal(dataSet.string("x00080018"), where.sopInstanceUID);
        assert.equal(dataSet.elements.xfffcfffc, undefined);
      }
      const document = await of("DOC 9104"), uri = document.metadata[0]!["00420011"]!.BulkDataURI!;
      const [pdf] = await client.retrieveBulkData!({ BulkDataURI: uri }) as ArrayBuffer[];
      assert.match(new TextDecoder("latin1").decode(pdf!), /^%PDF-/);
      const pages = await of("OT 9105");
      assert.ok(pages.metadata.length > 2);
      const rendered = await client.retrieveInstanceRendered!({
        ...pages.where,
        mediaTypes: [{ mediaType: "image/jpeg" }],
      });
      const picture = new Uint8Array([rendered].flat()[0] as ArrayBuffer);
      assert.deepEqual([...picture.subarray(0, 2)], [0xff, 0xd8]);
      // frames of the images, as its image loader asks for them
      const first = dicomParser.parseDicom(sent[0]!.bytes);
      const [frame] = await client.retrieveInstanceFrames!({
        studyInstanceUID,
        seriesInstanceUID: first.string("x0020000e")!,
        sopInstanceUID: first.string("x00080018")!,
        frameNumbers: [1],
      }) as ArrayBuffer[];
      const { dataOffset, length } = first.elements.x7fe00010!;
      assert.deepEqual(
        new Uint8Array(frame!),
        sent[0]!.bytes.slice(dataOffset, dataOffset + length),
      );
      await askAsViewers(root, headers, study!, uidOf, pages.where, sent[0]!.bytes);
      await openedByWeasis(`${root}${ROOT}`, headers, study!, sent);
      const ofImages = sent.map(({ bytes }) => dicomParser.parseDicom(bytes).string("x0020000e")!);
      await searchesOfOthers(`${root}${ROOT}`, headers, test.dataDir, pid, [...new Set(ofImages)]);
      // everything of the study at once
      const all = await client.retrieveStudy!({ studyInstanceUID }) as ArrayBuffer[];
      assert.equal(all.length, sent.length + 7 + pages.metadata.length);

      // a system's key opens nothing else, and is void once there is another
      const status = async (path: string, token: string) => {
        const answer = await fetch(root + path, { headers: { authorization: `Bearer ${token}` } });
        await answer.body?.cancel();
        return answer.status;
      };
      assert.equal(await status("/api/v1/patients", key), 403);
      assert.equal(await status(`${ROOT}/studies`, `${key}x`), 401);
      const next = await renewSystemKey(api, id);
      assert.deepEqual([
        await status(`${ROOT}/studies`, key),
        await status(`${ROOT}/studies`, next),
      ], [
        401,
        200,
      ]);
      await savePeer(api, id, { ...peer, config: { ...peer.config, addresses: ["10.0.0.0/8"] } });
      assert.equal(await status(`${ROOT}/studies`, next), 403);
    } finally {
      await server.shutdown();
    }
  });
});
