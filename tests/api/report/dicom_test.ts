// Over 400 lines: all objects come from one analysed study, whose analysis costs more than the tests.
import assert from "node:assert/strict";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { existsSync } from "node:fs";
import { createHash } from "node:crypto";
import dicomParser, { type DataSet } from "dicom-parser";
import { AppError } from "@/model/errors.ts";
import { affineFromRowMajor, applyAffine, invert } from "@/model/geometry.ts";
import { addStroke, changeStrokes } from "@/client/api/reading/strokes.ts";
import { regionOf } from "@/model/regions/regions.ts";
import { getAudit } from "@/client/api/site/audit.ts";
import { getDeidentified, getDicom } from "@/client/api/report/dicom.ts";
import { fileNameOf } from "@/client/api/file_name.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { getReport, getReportPdf } from "@/client/api/report/report.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import { normsName } from "@/model/text/settings/norms.ts";
import { rankText } from "@/model/text/ranks.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { cielabValue } from "@/server/core/dicom/write/cielab.ts";
import { acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";
import { insertNorm } from "@/server/core/norms/storage/local_norms.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import {
  analysedPhantom,
  BOXES,
  LESION_BOXES,
  MOVED,
  studyFiles,
  T1_RESULTS,
} from "@/tests/sites/dicom_study.ts";
import { contentOf, find, item, items, numbers, segmentsOf } from "@/tests/sites/dicom_objects.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";

const RAS_FROM_IJK_INVERSE = invert(affineFromRowMajor<"Ras", "Ijk">(T1_RESULTS.rasFromIjkRows));

/** A report of two pages. */
const SHORT = { language: "ko", page_list: "1" } as const;

const hasCode = (code: string) => (error: unknown) =>
  error instanceof AppError && error.code === code;
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
/** The stored files of a ZIP by name, without an unpacker: nothing in it is compressed. */
function unzipped(zip: Uint8Array): Map<string, Uint8Array> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength),
    files = new Map<string, Uint8Array>();
  let end = zip.length - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end--;
  let at = view.getUint32(end + 16, true);
  for (let n = view.getUint16(end + 10, true); n > 0; n--) {
    const [nameBytes, extra, comment] = [28, 30, 32].map((offset) =>
      view.getUint16(at + offset, true)
    );
    const size = view.getUint32(at + 24, true), local = view.getUint32(at + 42, true);
    assert.equal(view.getUint16(at + 10, true), 0, "stored");
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameBytes!));
    files.set(name, zip.subarray(start, start + size));
    at += 46 + nameBytes! + extra! + comment!;
  }
  return files;
}

const hasDcmtk = existsSync("/usr/bin/dsrdump") && existsSync("/usr/bin/dcm2pdf");
const missing = hasDcmtk ? "" : " (skipped: dcmtk is not installed)";
async function run(program: string, ...args: string[]) {
  const { success, stdout, stderr } = await new Deno.Command(program, { args }).output();
  const text = new TextDecoder();
  assert.ok(success, text.decode(stderr));
  return { printed: text.decode(stdout), complaints: text.decode(stderr) };
}

Deno.test("results as DICOM objects, and studies without identity, of images that lie obliquely", async (t) => {
  await withCore(async (site) => {
    const { api, open, dataDir } = site, files = studyFiles();
    const pid = await analysedPhantom(site, files);
    await acceptScanner(site, pid);
    const source = files.map(({ bytes }) => dicomParser.parseDicom(bytes));
    const get = async (kind: Parameters<typeof getDicom>[2]) =>
      await bytesOf(await getDicom(api, pid, kind));
    const uids = { regions: "", lesions: "" };
    let storedReport = new Uint8Array();

    await t.step("SEG: regions lie where they are in the patient, left stays left", async () => {
      const bytes = await get("regions"), dataSet = dicomParser.parseDicom(bytes);
      const found = segmentsOf(bytes), labels = Object.keys(BOXES).map(Number);
      for (const [at, label] of labels.entries()) {
        const { ras, mm3 } = found.get(at + 1)!, { centre } = BOXES[label]!;
        const offMm = Math.max(...ras.map((mm, axis) => Math.abs(mm - centre[axis]!)));
        assert.ok(offMm < 1.6, `label ${label} at ${ras}`);
        assert.ok(
          Math.abs(mm3 / T1_RESULTS.volumesMm3[label]! - 1) < 0.2,
          `label ${label}: ${mm3} mm³`,
        );
        const segment = item(dataSet, "x00620002", at), region = regionOf(label)!;
        assert.equal(segment.string("x00620005"), region.name);
        assert.deepEqual(
          [0, 1, 2].map((i) => segment.uint16("x0062000d", i)),
          cielabValue(region.rgb),
        );
        const type = item(segment, "x0062000f"), side = items(type, "x00620011")[0];
        // of the middle of the corpus callosum: central
        const expected = { L: "7771000", R: "24028007", "": "26216008" }[region.hemisphere];
        assert.equal(side?.string("x00080100"), expected);
        // a parcel without a concept of its own lies in a lobe that has one
        const lobe = items(segment, "x00082218")[0]?.string("x00080104");
        assert.equal(lobe, label === 38 ? "Frontal lobe" : undefined);
      }
      const first = source[0]!;
      for (const tag of ["x0020000d", "x00200052", "x00100020", "x00080050", "x00100030"]) {
        assert.equal(dataSet.string(tag) ?? "", first.string(tag) ?? "", tag);
      }
      assert.notEqual(dataSet.string("x0020000e"), first.string("x0020000e"));
      // every frame names the slice it is on
      const positions = new Map(
        source.map((s) => [s.string("x00080018"), numbers(s, "x00200032", 3)]),
      );
      for (const group of items(dataSet, "x52009230")) {
        const image = item(item(group, "x00089124"), "x00082112").string("x00081155");
        assert.deepEqual(numbers(item(group, "x00209113"), "x00200032", 3), positions.get(image));
      }
      uids.regions = dataSet.string("x00080018")!;
      assert.deepEqual(await get("regions"), bytes, "asked for again it is the same object");
    });

    await t.step("SEG: lesions are brought back to the FLAIR slices", async () => {
      const bytes = await get("lesions"), found = segmentsOf(bytes);
      for (const [at, { centre }] of Object.values(LESION_BOXES).entries()) {
        const { ras } = found.get(at + 1)!;
        const offMm = Math.max(
          ...ras.map((mm, axis) => Math.abs(mm - (centre[axis]! - MOVED[axis]!))),
        );
        assert.ok(offMm < 1.8, `lesion ${at + 1} at ${ras}`);
      }
      uids.lesions = dicomParser.parseDicom(bytes).string("x00080018")!;
    });

    await t.step(
      "SR: every figure of the results with its unit, place, side and segment",
      async () => {
        const bytes = await get("measurements"), dataSet = dicomParser.parseDicom(bytes);
        const report = contentOf(dataSet);
        assert.equal(item(dataSet, "x0040a504").string("x0040db00"), "1500");
        const groups = find(report, "Imaging Measurements").children;
        const byName = new Map(
          groups.map((group) => [find(group, "Tracking Identifier").value, group]),
        );
        const summary = (name: string) => {
          const group = byName.get(name)!, site = find(group, "Finding Site");
          return [
            site.value,
            site.children.map(({ value }) => value).join(),
            group.children.filter(({ type }) => type === "NUM").map((n) => `${n.name} ${n.value}`)
              .join("; "),
            find(group, "Referenced Segment")?.value,
          ];
        };
        const { regions, lesions } = uids;
        assert.deepEqual(summary("Left hippocampus"), [
          "Hippocampus",
          "Left",
          "Volume 9.72 mL",
          `${regions}#1`,
        ]);
        assert.deepEqual(summary("Right hippocampus")[1], "Right");
        assert.deepEqual(summary("Right superior frontal"), [
          "Superior frontal",
          "Right",
          "Volume 10.37 mL; Cortical thickness 2.44 mm",
          `${regions}#4`,
        ]);
        assert.deepEqual(summary("Intracranial volume"), [
          "Cranial Cavity",
          "",
          "Volume 1412.35 mL",
          undefined,
        ]);
        assert.deepEqual(summary("Left cerebral cortex")[2], "Cortical thickness 2.51 mm");
        assert.deepEqual(summary("Deep white matter hyperintensities"), [
          "Cerebral White Matter",
          "Deep white matter",
          "Volume 7.78 mL",
          `${lesions}#2`,
        ]);
        assert.deepEqual(summary("White matter hyperintensities")[2], "Volume 13.61 mL");
        const { children } = byName.get("Left hippocampus")!;
        const algorithm = children.filter(({ name }) => name.startsWith("Algorithm")).map((
          { value },
        ) => value);
        assert.deepEqual(algorithm, ["sulcus-engine", "0.1.0"]);
        const said = find(report, "Qualitative Evaluations").children.map(({ value }) =>
          String(value)
        );
        const comment = said.splice(4, said.length - 5);
        assert.deepEqual(said, [
          "B",
          qualityWarningText.contrast_low.en,
          qualityWarningText.value_beyond_norms.en,
          conclusionText.automatic.en,
          "Segments: Resampled to the slices of the series; volumes are measured on the grid of the analysis and can differ from its voxel count.",
        ]);
        // the head of this test is far smaller than a person's
        const [start, end] = conclusionText.missingBoth.en.split("{parts}");
        assert.ok(comment[0]!.startsWith(`${start}cerebral hemisphere (left `), comment[0]);
        assert.ok(comment[0]!.endsWith(`\u00a0mL)${end}`), comment[0]);
        assert.ok(
          comment.some((line) =>
            line.startsWith(
              "White matter hyperintensities: 13.61\u00a0mL (periventricular 5.83, deep 7.78)",
            )
          ),
          comment.join("\n"),
        );
        // missing tissue is named without percentiles, so brackets need no explanation
        assert.ok(!comment.includes(conclusionText.figures.en), comment.join("\n"));
        // where each value lies among healthy people; a region without a band has the interval alone
        const ranking = (name: string) => find(byName.get(name)!, "Volume").children;
        const [percentile, low, high, band] = ranking("Left hippocampus");
        assert.deepEqual([percentile!.name, percentile!.value, band!.value], [
          "Percentile Ranking of measurement",
          "100 %",
          rankText.doubtValue.en,
        ]);
        assert.ok(parseFloat(low!.value) > 99 && parseFloat(high!.value) === 100);
        assert.match(
          find(percentile!, "Population description").value,
          /age, sex and intracranial volume/,
        );
        assert.match(find(percentile!, "Reference Authority").value, /^NOMIS .*Potvin/);
        const hasBands = methodErrorOf("38", "volume")!.hasBands;
        assert.deepEqual(ranking("Right superior frontal").map(({ type }) => type), [
          ...hasBands ? ["NUM"] : [],
          "NUM",
          "NUM",
          "TEXT",
        ]);
        assert.equal(
          byName.has("Corpus callosum central") || byName.has("Cerebrospinal fluid"),
          false,
        );
        // what is referred to is listed as evidence: the images of both series, and both segmentations
        const evidence = items(item(dataSet, "x0040a375"), "x00081115")
          .flatMap((series) => items(series, "x00081199").map((one) => one.string("x00081155")));
        const expected = [...source.map((s) => s.string("x00080018")), regions, lesions];
        assert.deepEqual(evidence.toSorted(), expected.toSorted());
        assert.deepEqual(await get("measurements"), bytes);
      },
    );

    await t.step(
      "Enhanced SR: with local norms it is another object, which names them",
      async () => {
        const db = await openBeside(dataDir), textOf = new TextDecoder("latin1");
        const norm = (scale: number) => ({ offset: 0, scale, offsetSd: 0.2, n: 24 });
        const id = await insertNorm(db, {
          scanner: "SIEMENS Prisma",
          engineVersion: "sulcus-engine 0.1.0",
          controls: 24,
          norms: { "volume:19": norm(2) },
          proposedAt: "2026-11-20T00:00:00Z",
          proposedBy: null,
        });
        await db.updateTable("local_norms").set({ accepted_at: "2026-11-22T00:00:00Z" }).where(
          "id",
          "=",
          id,
        )
          .execute();
        await db.updateTable("analyses").set({
          local_norm_id: id,
          local_norm_at: "2026-11-23T00:00:00Z",
        })
          .where("pid", "=", pid).where("kind", "=", "t1").execute();
        const plain = await get("measurements");
        const uidIn = (bytes: Uint8Array) => dicomParser.parseDicom(bytes).string("x00080018");
        const local = {
          scanner: "SIEMENS Prisma",
          controls: 24,
          accepted_at: "2026-11-22T00:00:00Z",
        };
        assert.ok(textOf.decode(plain).includes(`${normsName(local, "en")}.`));
        await db.updateTable("local_norms").set({ revoked_at: "2026-11-24T00:00:00Z" }).where(
          "id",
          "=",
          id,
        )
          .execute();
        const undone = await get("measurements");
        assert.doesNotMatch(textOf.decode(undone), /adjusted to/);
        assert.equal(new Set([plain, undone].map(uidIn)).size, 2);
        await db.updateTable("analyses").set({ local_norm_id: null, local_norm_at: null }).where(
          "pid",
          "=",
          pid,
        )
          .execute();
        await db.destroy();
      },
    );

    await t.step(
      "Encapsulated PDF: the report, with the identity that the archive needs",
      async () => {
        const response = await getDicom(api, pid, "report", { ...SHORT, anonymize: "true" });
        assert.equal(response.headers.get("content-type"), "application/dicom");
        assert.equal(fileNameOf(response), `${KOREAN_PATIENT.patientId}_2026-01-05_report.dcm`);
        const bytes = await bytesOf(response), dataSet = dicomParser.parseDicom(bytes);
        const { dataOffset } = dataSet.elements.x00420011!, length = dataSet.uint32("x00420015")!;
        const pdf = bytes.subarray(dataOffset, dataOffset + length);
        assert.match(new TextDecoder("latin1").decode(pdf), /^%PDF-[^]*%%EOF\s*$/);
        assert.deepEqual(["x00420012", "x00280301"].map((tag) => dataSet.string(tag)), [
          "application/pdf",
          "YES",
        ]);
        storedReport = bytes;
        const masked = await bytesOf(await getReportPdf(api, pid, { ...SHORT, anonymize: "true" }));
        assert.notEqual(masked.length, pdf.length);
        const again = await bytesOf(await getDicom(api, pid, "report", SHORT));
        assert.deepEqual(again, bytes);
        const english = await bytesOf(
          await getDicom(api, pid, "report", { ...SHORT, language: "en" }),
        );
        assert.notEqual(
          dicomParser.parseDicom(english).string("x00080018"),
          dataSet.string("x00080018"),
        );
      },
    );

    await t.step({
      name: `dcmtk reads the report and the measurements${missing}`,
      ignore: !hasDcmtk,
      fn: async () => {
        await Deno.writeFile(`${dataDir}/report.dcm`, storedReport);
        for (const kind of ["measurements", "regions"] as const) {
          await Deno.writeFile(`${dataDir}/${kind}.dcm`, await get(kind));
        }
        const { printed } = await run("dsrdump", `${dataDir}/measurements.dcm`);
        assert.ok(
          printed.includes(`"Volume")="9.72" (mL,UCUM,"milliliter")`),
          printed.slice(-2000),
        );
        assert.ok(printed.includes(`"Finding Site")=(5366008,SCT,"Hippocampus")`));
        await run("dcm2pdf", `${dataDir}/report.dcm`, `${dataDir}/report.pdf`);
        const pdf = await Deno.readTextFile(`${dataDir}/report.pdf`).catch(() => "");
        assert.ok(pdf.startsWith("%PDF-"));
        const dump = await run("dcmdump", "+P", "NumberOfFrames", `${dataDir}/regions.dcm`);
        assert.deepEqual([/\[\d+\]/.test(dump.printed), dump.complaints], [true, ""]);
      },
    });

    await t.step("all results in one archive", async () => {
      const response = await getDicom(api, pid, "results", SHORT);
      assert.equal(fileNameOf(response), `${KOREAN_PATIENT.patientId}_2026-01-05_dicom.zip`);
      const inside = unzipped(await bytesOf(response));
      const kinds = [
        "report",
        "measurements",
        "regions",
        "lesions",
        "outlines",
        "thickness",
        "percentiles",
      ];
      assert.deepEqual(
        [...inside.keys()],
        kinds.map((k) => `${KOREAN_PATIENT.patientId}_2026-01-05_${k}.dcm`),
      );
      assert.deepEqual([...inside.values()][2], await get("regions"));
    });

    // covers: S-87
    await t.step(
      "de-identified: every image, nothing of whose it is, and that faces remain",
      async () => {
        const response = await getDeidentified(api, pid, { dates: "removed" });
        const name = /^(ANON-[A-Z2-9]{10})\.zip$/.exec(fileNameOf(response))![1]!;
        const inside = unzipped(await bytesOf(response));
        assert.equal(inside.size, files.length + 1);
        const images = [...inside].filter(([path]) => path.endsWith(".dcm"));
        const secrets = [
          KOREAN_PATIENT.patientId,
          "Kim^",
          "하늘",
          KOREAN_PATIENT.birthDate,
          KOREAN_PATIENT.studyDate,
          ...new Set(
            source.flatMap((s) =>
              ["x0020000d", "x0020000e", "x00080018"].map((tag) => s.string(tag)!)
            ),
          ),
        ].map((secret) => Buffer.from(secret));
        for (const [path, bytes] of images) {
          assert.match(path, new RegExp(`^${name}/series-[12]/\\d{4}\\.dcm$`));
          const text = Buffer.from(bytes);
          assert.ok(!secrets.some((secret) => text.includes(secret)), path);
        }
        // series and study hold together as before, and pixels are what they were
        const masked = images.map(([, bytes]) => dicomParser.parseDicom(bytes));
        const distinct = (sets: DataSet[], tag: string) =>
          new Set(sets.map((s) => s.string(tag))).size;
        for (const tag of ["x0020000d", "x0020000e", "x00080018", "x00200052"]) {
          assert.equal(distinct(masked, tag), distinct(source, tag), tag);
        }
        const pixelHash = (set: DataSet) => {
          const { dataOffset, length } = set.elements.x7fe00010!;
          return createHash("sha256").update(
            set.byteArray.subarray(dataOffset, dataOffset + length),
          ).digest(
            "hex",
          );
        };
        assert.deepEqual(masked.map(pixelHash).toSorted(), source.map(pixelHash).toSorted());
        const readme = new TextDecoder().decode(inside.get(`${name}/README.txt`));
        assert.match(readme, /FACES REMAIN RECOGNIZABLE/);
        assert.match(readme, /얼굴은 식별 가능한 상태로 남아/);
        assert.ok(readme.includes(`Images: ${files.length}.`));
        const again = await bytesOf(await getDeidentified(api, pid, { dates: "removed" }));
        assert.deepEqual([...unzipped(again).values()][0], images[0]![1]);
      },
    );

    await t.step(
      "a corrected region: its group names who corrected it and when, its segment is made by half",
      async () => {
        const [nx, ny] = T1_RESULTS.shape as unknown as [number, number, number];
        const [i, j, k] = applyAffine(RAS_FROM_IJK_INVERSE, BOXES[19]!.centre).map(Math.round) as [
          number,
          number,
          number,
        ];
        await addStroke(api, pid, { series: "t1", value: 20, runs: [i + nx * (j + ny * k), 3] });
        const report = contentOf(dicomParser.parseDicom(await get("measurements")));
        const groups = find(report, "Imaging Measurements").children;
        const corrected = groups.filter((each) => find(each, "Observer Type")?.value === "Person");
        assert.deepEqual(corrected.map((each) => find(each, "Tracking Identifier").value), [
          regionOf(19)!.name,
          regionOf(20)!.name,
        ]);
        for (const each of corrected) {
          assert.equal(find(each, "Person Observer Name").type, "PNAME");
          assert.match(find(each, "Comment").value, /^Corrected by hand/);
        }
        const regions = dicomParser.parseDicom(await get("regions"));
        const types = items(regions, "x00620002").map((segment) => segment.string("x00620008"));
        assert.deepEqual(types, ["SEMIAUTOMATIC", "SEMIAUTOMATIC", "AUTOMATIC", "AUTOMATIC"]);
        // an object is as of its last correction, not of the analysis
        assert.ok(regions.string("x00080023")! > "20260106", regions.string("x00080023"));
        // taken back, nobody is named any more
        await changeStrokes(api, pid, "t1", "undo");
        const back = new TextDecoder().decode(await get("measurements"));
        assert.ok(!back.includes("Person Observer Name") && !back.includes("Corrected by hand"));
      },
    );

    await t.step(
      "corrected lesions: segments, SR and the list agree, and left stays left",
      async () => {
        const [nx, ny] = T1_RESULTS.shape as unknown as [number, number, number];
        const deepOf = async () => segmentsOf(await get("lesions")).get(2)!,
          before = await deepOf();
        // a deep lesion of 18 mm in the left, where there was none
        const corner = applyAffine(RAS_FROM_IJK_INVERSE, [-45, -40, 12]).map(Math.round);
        const [i, j, k] = corner as [number, number, number];
        const runs = Array.from(
          { length: 36 },
          (_, at) => [i + nx * (j + at % 6 + ny * (k + Math.floor(at / 6))), 6],
        );
        await addStroke(api, pid, { series: "t2", value: 2, runs: runs.flat() });
        const [{ wmh, deep_wmh, wmh_detail }, report] = await Promise.all([
          getPatient(api, pid),
          getReport(api, pid, { language: "en" }),
        ]);
        const groups = find(
          contentOf(dicomParser.parseDicom(await get("measurements"))),
          "Imaging Measurements",
        );
        const volumeOf = (name: string) =>
          find(
            groups.children.find((each) => find(each, "Tracking Identifier").value === name)!,
            "Volume",
          )
            .value;
        assert.deepEqual(
          [
            volumeOf("White matter hyperintensities"),
            volumeOf("Deep white matter hyperintensities"),
          ],
          [`${wmh} mL`, `${deep_wmh} mL`],
        );
        assert.deepEqual([report.wmh!.total, report.wmh!.deep, report.wmh!.lesion_count], [
          wmh,
          deep_wmh,
          3,
        ]);
        assert.equal(wmh_detail!.lesions!.length, 3);
        const bytes = await get("lesions"), after = segmentsOf(bytes).get(2)!;
        const types = items(dicomParser.parseDicom(bytes), "x00620002").map((one) =>
          one.string("x00620008")
        );
        assert.deepEqual(types, ["AUTOMATIC", "SEMIAUTOMATIC"]);
        // what was added, on the slices of the FLAIR: half a voxel of 4 × 4 × 5 mm at every side
        const mm3 = after.mm3 - before.mm3;
        const centre = after.ras.map((mm, axis) =>
          (mm * after.mm3 - before.ras[axis]! * before.mm3) / mm3
        );
        assert.ok(mm3 > 14 * 14 * 13 && mm3 < 22 * 22 * 23, `${mm3} mm³`);
        const painted = [-45, -40, 12].map((mm, axis) => mm + 7.5 - MOVED[axis]!);
        centre.forEach((mm, axis) =>
          assert.ok(Math.abs(mm - painted[axis]!) < 4, `${centre}, ${painted}`)
        );
        await changeStrokes(api, pid, "t2", "undo");
        assert.deepEqual(await deepOf(), before);
      },
    );

    await t.step("refusals and the audit log", async () => {
      await assert.rejects(getDicom(open, pid, "report"), hasCode("token.missing"));
      await assert.rejects(
        getDeidentified(open, pid, { dates: "removed" }),
        hasCode("token.missing"),
      );
      await assert.rejects(getDicom(api, pid + 50, "results"), hasCode("entity.not_found"));
      await assert.rejects(getDicom(api, pid, "other" as "report"), hasCode("entity.not_found"));
      await assert.rejects(
        getDeidentified(api, pid, { dates: "x" as "removed" }),
        hasCode("input.invalid"),
      );
      await addStudies(dataDir, 1);
      await assert.rejects(getDicom(api, pid + 1, "regions"), hasCode("study.not_analyzed"));
      await assert.rejects(
        getDeidentified(api, pid + 1, { dates: "removed" }),
        hasCode("entity.not_found"),
      );
      const events = async (event: string) =>
        (await getAudit(api, { event, pid })).entries.map(({ outcome }) => outcome);
      assert.ok((await events("dicom.export")).length >= 8);
      assert.deepEqual(await events("dicom.deidentify"), ["input.invalid", "ok", "ok"]);
    });
  });
});

Deno.test("the segmentation of an enhanced series refers to frames, and a T1w series alone has no lesions", async () => {
  await withCore(async (site) => {
    const files = studyFiles({ isEnhanced: true }).filter(({ fileName }) =>
      fileName.startsWith("t1")
    );
    const pid = await analysedPhantom(site, files);
    const bytes = await bytesOf(await getDicom(site.api, pid, "regions"));
    for (const [at, { ras }] of [...segmentsOf(bytes).values()].entries()) {
      const { centre } = Object.values(BOXES)[at]!;
      assert.ok(ras.every((mm, axis) => Math.abs(mm - centre[axis]!) < 1.6), `${at}: ${ras}`);
    }
    const group = item(dicomParser.parseDicom(bytes), "x52009230");
    assert.ok(Number(item(item(group, "x00089124"), "x00082112").string("x00081160")) > 1);
    await assert.rejects(getDicom(site.api, pid, "lesions"), hasCode("entity.not_found"));
  });
});
