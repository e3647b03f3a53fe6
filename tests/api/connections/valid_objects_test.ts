// covers: S-121, S-228, S-260
// Objects that this program sends, judged by dciodvfy: the standard's definitions by another author.
import assert from "node:assert/strict";
import { getReportText, signReportText } from "@/client/api/report/report_text.ts";
import type { ResultKind } from "@/model/schema/connections/connections.ts";
import { writeSettings } from "@/server/core/settings/storage/settings.ts";
import { SCANS } from "@/server/core/dicom/read/scans_testing.ts";
import { acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { noPython, runPython } from "@/tests/sites/connections/python_peers.ts";
import { encodePng } from "@/report/pdf/png.ts";
import { errorsOf, noValidator, parsedFile } from "@/tests/sites/connections/dicom3tools.ts";
import {
  objectsOf,
  sendingTest,
  type SendResults,
} from "@/tests/sites/connections/sending_site.ts";
import { openBeside, type TestCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";

const PHILIPS = `${SCANS}/t1_dicom_adult_philips`;

async function chooseKeyImage({ api }: TestCore, pid: number): Promise<void> {
  const colours = Uint8Array.from({ length: 3 * 20 * 10 }, (_, v) => (v * 37) & 255);
  const answer = await api.send(
    new Request(`http://core/api/v1/patients/${pid}/key-images?note=Left%20hippocampus`, {
      method: "POST",
      headers: { authorization: `Bearer ${api.token}`, "content-type": "image/png" },
      body: encodePng(colours, 20, 10),
    }),
  );
  assert.equal(answer.status, 201);
}

/** Signs a text about the results, in the name of the hospital. */
async function signText({ api, dataDir }: TestCore, pid: number): Promise<void> {
  const db = await openBeside(dataDir);
  await writeSettings(db, "group", { hospital_name: "서울 Hospital" });
  await db.destroy();
  const { version, results } = await getReportText(api, pid);
  await signReportText(api, pid, {
    based_on: version,
    language: "en",
    text: "Small left hippocampus.",
    results,
  });
}

/**
 * Sends all kinds of results of a study, and compares the objects with the standard.
 *
 * @param segmentations Kinds for which the study has series.
 * @returns the SOP classes of the objects, sorted.
 */
async function checkAll(
  test: TestCore,
  pid: number,
  send: SendResults,
  segmentations: readonly ResultKind[],
): Promise<string[]> {
  await chooseKeyImage(test, pid);
  const paths = [
    ...await send(pid, {
      results: ["report", "measurements", "pages", "key_images", ...segmentations],
    }),
    ...await send(pid, { results: ["measurements", ...segmentations], label_map: true }),
  ];
  await signText(test, pid);
  const signed = await send(pid, {
    results: ["report", "measurements", ...segmentations.filter((kind) => kind === "outlines")],
  });
  for (const documents of [paths, signed]) {
    const flags = documents.map(parsedFile)
      .filter((file) => file.string("x0040a496") !== undefined)
      .map((file) => [file.string("x0040a496"), file.string("x0040a493")].join());
    const [expected] = documents === signed ? ["FINAL,VERIFIED"] : ["PRELIMINARY,UNVERIFIED"];
    assert.ok(flags.length > 0 && flags.every((flag) => flag === expected), flags.join(" "));
  }
  paths.push(...signed);
  const faults = new Set<string>();
  for (const path of paths) {
    const [uid] = objectsOf([path]).keys();
    for (const line of await errorsOf(path)) faults.add(`${uid}: ${line}`);
  }
  assert.deepEqual([...faults], []);
  return [...objectsOf(paths).keys()].sort();
}

sendingTest(
  `dciodvfy finds no error in any object made of the phantom ${noValidator}`,
  async (test, send) => {
    const pid = await analysedPhantom(test, studyFiles());
    await acceptScanner(test, pid);
    const classes = await checkAll(test, pid, send, [
      "regions",
      "lesions",
      "outlines",
      "thickness",
      "percentiles",
    ]);
    assert.deepEqual(classes, [
      "1.2.840.10008.5.1.4.1.1.104.1",
      "1.2.840.10008.5.1.4.1.1.30",
      "1.2.840.10008.5.1.4.1.1.66.4",
      "1.2.840.10008.5.1.4.1.1.66.7",
      "1.2.840.10008.5.1.4.1.1.7",
      "1.2.840.10008.5.1.4.1.1.88.22",
      "1.2.840.10008.5.1.4.1.1.88.34",
      "1.2.840.10008.5.1.4.1.1.88.59",
    ]);
  },
  noValidator !== "",
);

const why = noValidator || (SCANS ? "" : "(skipped: no real scans; set SULCUS_SCANS)");
sendingTest(
  `dciodvfy finds no error in any object made of a Philips series ${why}`,
  async (test, send) => {
    const files = [...Deno.readDirSync(PHILIPS)].map(({ name }) => ({
      fileName: name,
      bytes: Deno.readFileSync(`${PHILIPS}/${name}`),
    }));
    const pid = await analysedPhantom(test, files);
    await acceptScanner(test, pid);
    const classes = await checkAll(test, pid, send, ["regions", "thickness", "percentiles"]);
    assert.deepEqual(classes, [
      "1.2.840.10008.5.1.4.1.1.104.1",
      "1.2.840.10008.5.1.4.1.1.30",
      "1.2.840.10008.5.1.4.1.1.66.4",
      "1.2.840.10008.5.1.4.1.1.66.7",
      "1.2.840.10008.5.1.4.1.1.7",
      "1.2.840.10008.5.1.4.1.1.88.22",
      "1.2.840.10008.5.1.4.1.1.88.59",
    ]);
  },
  why !== "",
);

interface Compared {
  groups: { name: string; regions: number; pixels: number; different: number; volumes: number[] }[];
}

sendingTest(
  `outlines of lesions have exactly the pixels of their segments, as highdicom reads both ${noPython}`,
  async (test, send) => {
    const pid = await analysedPhantom(test, studyFiles());
    const paths = await send(pid, { results: ["lesions", "outlines"] });
    const pathOf = (sopClass: string) =>
      paths.find((path) => objectsOf([path]).has(`1.2.840.10008.5.1.4.1.1.${sopClass}`))!;
    const { groups } = await runPython<Compared>(
      "read_outlines.py",
      pathOf("66.4"),
      pathOf("88.34"),
    );
    assert.ok(groups.length > 0);
    for (const { name, regions, pixels, different, volumes } of groups) {
      assert.ok(regions > 0 && pixels > 0, name);
      assert.equal(different, 0, name);
      assert.equal(volumes.length, 1, name);
    }
  },
  noPython !== "",
);
