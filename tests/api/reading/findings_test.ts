// covers: S-123
import assert from "node:assert/strict";
import { call } from "@/client/api/http.ts";
import { addKeyImage, listKeyImages, removeKeyImage } from "@/client/api/reading/key_images.ts";
import { addMeasurement, changeMeasurement } from "@/client/api/reading/measurements.ts";
import { addStroke, changeStrokes } from "@/client/api/reading/strokes.ts";
import { getReport, getReportPdf } from "@/client/api/report/report.ts";
import { findingsText } from "@/model/text/report/report_findings.ts";
import { encodePng } from "@/report/pdf/png.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { colleague, coreTest } from "@/tests/sites/core_site.ts";
import { addReadStudy, voxelAt } from "@/tests/sites/read_study.ts";

const PICTURE = new Blob([
  encodePng(new Uint8Array(3 * 20 * 10).fill(90), 20, 10) as Uint8Array<ArrayBuffer>,
]);
const words = (value: unknown) => JSON.stringify(value);

coreTest(
  "chosen measurements, key images and corrections are in the report, and nothing else is",
  async (site) => {
    const { api, open, dataDir } = site,
      pid = await addReadStudy(dataDir),
      other = await colleague(open, dataDir);
    assert.equal((await getReport(api, pid, {})).findings, undefined);
    const ruler = {
      kind: "ruler" as const,
      series: "t1" as const,
      plane: "axial" as const,
      points_mm: [0, 0, 0, 3, 4, 0],
      statistics: null,
    };
    const id = await addMeasurement(api, pid, { ...ruler, note: "third ventricle" });
    await addMeasurement(api, pid, { ...ruler, points_mm: [0, 0, 0, 30, 40, 0] });
    assert.equal((await getReport(api, pid, {})).findings, undefined);
    await changeMeasurement(other, pid, id, { note: "third ventricle", is_in_report: true });
    const image = await addKeyImage(other, pid, PICTURE, "new lesion");
    await addStroke(other, pid, { series: "t1", runs: [voxelAt(25, 22, 20), 3], value: 0 });

    const report = await getReport(api, pid, { page_list: "1,512" }), findings = report.findings!;
    assert.deepEqual(findings.measurements.map(({ note, created_by }) => [note, created_by]), [
      ["third ventricle", "Administrator"],
    ]);
    const anonymous = (await getReport(api, pid, { anonymize: "true" })).findings!;
    for (const made of [...anonymous.measurements, ...anonymous.images]) {
      assert.equal(made.created_by, "", "an anonymised report names no author");
    }
    assert.deepEqual(findings.images.map(({ note, created_by }) => [note, created_by]), [[
      "new lesion",
      "Other",
    ]]);
    assert.deepEqual(findings.corrections.map(({ series, by, strokes }) => [series, by, strokes]), [
      ["t1", "Other", 1],
    ]);
    const sheets = reportSheetsOf(report),
      own = sheets.filter(({ title }) => title === findingsText.title.en);
    assert.match(words(own), /5\.0\smm.*third ventricle/);
    assert.ok(!words(own).includes("50.0\u00a0mm"));
    assert.match(words(own), /new lesion/);
    // every page states that its values are from corrected labels
    for (const sheet of sheets) {
      assert.match(words(sheet), /Regions were corrected by Other/, sheet.title);
    }
    const korean = reportSheetsOf(await getReport(api, pid, { language: "ko" }));
    assert.match(words(korean), /영역 수정\(Other, /);
    const pdf = new Uint8Array(await (await getReportPdf(api, pid, {})).arrayBuffer());
    assert.equal(new TextDecoder().decode(pdf.subarray(0, 5)), "%PDF-");

    const ownImage = await addKeyImage(api, pid, PICTURE, "");
    const owned = (await listKeyImages(other, pid)).images.map(({ id, is_own }) => [id, is_own]);
    assert.deepEqual(owned, [[image, true], [ownImage, false]]);
    await assert.rejects(removeKeyImage(other, pid, ownImage), { code: "access.forbidden" });
    await removeKeyImage(api, pid, ownImage);
    await removeKeyImage(other, pid, image);
    await changeStrokes(api, pid, "t1", "restore");
    await changeMeasurement(api, pid, id, { note: "", is_in_report: false });
    assert.equal((await getReport(api, pid, {})).findings, undefined);
  },
);

coreTest("a key image is a PNG of a sensible size, and comes back as it was", async (site) => {
  const { api, dataDir } = site, pid = await addReadStudy(dataDir);
  for (const bad of [new Blob(["<svg/>"]), new Blob([new Uint8Array(100)])]) {
    await assert.rejects(addKeyImage(api, pid, bad, ""), { code: "input.invalid" });
  }
  await addKeyImage(api, pid, PICTURE, "");
  const [image] = (await listKeyImages(api, pid)).images;
  const back = await call(api, image!.url);
  assert.equal(back.headers.get("content-type"), "image/png");
  assert.deepEqual(
    new Uint8Array(await back.arrayBuffer()),
    new Uint8Array(await PICTURE.arrayBuffer()),
  );
});
