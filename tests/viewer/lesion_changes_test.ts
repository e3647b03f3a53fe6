// Lesions that changed since the prior study: found, confirmed and rejected in the viewer by
// keyboard, and the resulting report, table, SR and SEG.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import dicomParser from "dicom-parser";
import { listLesionChanges } from "@/client/api/reading/lesion_changes.ts";
import { addKeyImage, listKeyImages } from "@/client/api/reading/key_images.ts";
import { listSeries } from "@/client/api/reading/series.ts";
import {
  addMeasurement,
  listMeasurements,
  removeMeasurement,
} from "@/client/api/reading/measurements.ts";
import { getDicom } from "@/client/api/report/dicom.ts";
import { getExcel, startExcel } from "@/client/api/report/excel.ts";
import { getReport } from "@/client/api/report/report.ts";
import { createCore } from "@/server/core/mod.ts";
import { flairPairs } from "@/server/core/analyses/service/flair_change.ts";
import { runsOf } from "@/server/core/analyses/service/flair_pair.ts";
import { masksKey, saveFlairChange } from "@/server/core/analyses/storage/flair_changes.ts";
import { createSite } from "@/server/edge/site.ts";
import { affineFromRowMajor, applyAffine } from "@/model/geometry.ts";
import { viewerReadingText } from "@/model/text/viewer/viewer_reading.ts";
import { encodePng } from "@/report/pdf/png.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { KOREAN_PATIENT } from "@/server/commands/demo/phantom/dicom/series.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { contentOf, find, item, items, segmentsOf } from "@/tests/sites/dicom_objects.ts";
import { analysedPhantom, FLAIR, MOVED, studyFiles } from "@/tests/sites/dicom_study.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";
import { openViewer, viewerIsLoaded } from "@/tests/viewer/viewer_picture.ts";

const KINDS = ["new", "enlarging", "gone"] as const;
const VOXEL_MM3 = FLAIR.spacingMm.reduce((a, b) => a * b);
/** A second user, so that signing in ends no other session. */
const READER = { email: "reader@hospital.test", password: "correct-horse-8", name: "Dr. Reader" };
/** First voxel of each lesion, a box of 4 × 3 × 2 voxels. */
const BOXES = [[20, 30, 14], [30, 22, 17], [24, 38, 12]] as const;
const BOX_MM3 = 24 * VOXEL_MM3;

/** Two compared studies of a patient. @returns the second pid, and lesion centres, viewer mm. */
async function comparedStudies(test: TestCore): Promise<{ pid: number; centresMm: number[][] }> {
  const patient = { ...KOREAN_PATIENT, studyDate: "20250105" };
  await analysedPhantom(test, studyFiles({ patient }));
  const pid = await analysedPhantom(test, studyFiles()), [nx, ny] = FLAIR.shape;
  const { affine } = (await listSeries(test.api, pid)).series.find(({ kind }) => kind === "t2")!;
  const marks = new Uint8Array(FLAIR.shape.reduce((a, b) => a * b));
  const centresMm = BOXES.map(([i, j, k], n) => {
    for (let v = 0; v < 24; v++) {
      marks[i + v % 4 + nx * (j + (v >> 2) % 3 + ny * (k + Math.floor(v / 12)))] = n + 1;
    }
    return [...applyAffine(affineFromRowMajor<"Ras", "Ijk">(affine), [i + 1.5, j + 1, k + 0.5])];
  });
  const db = await openBeside(test.dataDir);
  await addQuickUser(db, READER);
  const [pair] = await flairPairs(db, patient.patientId);
  const lesions = KINDS.map((kind, n) => {
    // position in the scanner's FLAIR series; the viewer's images are aligned to the T1w series
    const at = centresMm[n]!.map((mm, axis) => mm - MOVED[axis]!) as [number, number, number];
    return {
      kind,
      isSure: kind !== "enlarging",
      changedMm3: BOX_MM3,
      beforeMm3: kind === "new" ? 0 : BOX_MM3 / 2,
      afterMm3: kind === "gone" ? 0 : BOX_MM3,
      z: 9,
      centreRasMm: [at, at] as [typeof at, typeof at],
    };
  });
  const runs = runsOf(marks, 3);
  await saveFlairChange(db, pair!, {
    results: {
      masks: masksKey(pair!),
      priorDate: "2025-01-05",
      lesions: lesions.map((lesion, n) => ({
        ...lesion,
        parts: [n],
        listed: { before: [], after: [] },
      })),
      runs,
      compared: {
        changes: lesions,
        runs: [runs, runs],
        currentFromPrior: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
      },
      ncc: 1,
      noise: 0,
    },
    finishedAt: "2026-01-06T10:00:00.000Z",
  });
  // results are stored already, so queued analyses must not run
  await db.deleteFrom("jobs").execute();
  await db.destroy();
  return { pid, centresMm };
}

/** Name of a lesion's volume in the SR; the referenced segment is only a part of the lesion. */
const WHOLE_LESION = "Volume of the whole lesion, not of the part that changed";

/** All outputs: counts in the table, lines of the report, groups of the SR, segments of the SEG. */
async function told({ api, dataDir }: TestCore, pid: number) {
  const bytesOf = async (kind: "changes" | "measurements") =>
    new Uint8Array(await (await getDicom(api, pid, kind)).arrayBuffer());
  const report = await getReport(api, pid, { language: "en" });
  const sheet = reportSheetsOf(report).find(({ blocks }) =>
    JSON.stringify(blocks).includes("since 2025-01-05")
  );
  const lines = sheet!.blocks.flatMap((block) =>
    block.kind === "table" && block.columns.length === 7 ? block.rows.map(({ cells }) => cells) : []
  ).map((cells) => [cells[0]!.text, cells[1]!.text, cells[5]!.text, cells[3]!.text].join(" · "));
  const seg = await bytesOf("changes"), segment = dicomParser.parseDicom(seg);
  const names = items(segment, "x00620002").map((one) => one.string("x00620005")!);
  const sr = dicomParser.parseDicom(await bytesOf("measurements"));
  const groups = find(contentOf(sr), "Imaging Measurements").children.flatMap((group) => {
    const name = find(group, "Tracking Identifier").value;
    if (!name.startsWith("White matter lesion")) return [];
    return [[name, find(group, WHOLE_LESION).value, find(group, "Referenced Segment").value]];
  });
  const exporting = await createCore({ dataDir, workers: 1 });
  const again = { ...api, send: exporting.fetch };
  const fields = KINDS.map((kind) => `lesions_${kind}` as const);
  const { excel_id } = await startExcel(again, {
    pid_list: [pid],
    format: "csv",
    columns: { fields: [...fields, "lesions_confirmed"], measures: [], parts: [] },
  });
  const file = await until(async () => {
    const answer = await getExcel(again, excel_id);
    return "file" in answer ? answer.file : null;
  });
  const table = (await file.text()).trim().split("\r\n").at(-1)!;
  await exporting.close();
  const uids = [segment, sr].map((object) => object.string("x00080018")!);
  return {
    lines,
    names,
    groups,
    table,
    uids,
    segments: [...segmentsOf(seg).values()],
    first: item(segment, "x00620002"),
  };
}

/** Serves a core's site on a port. */
async function serve({ core }: TestCore) {
  const site = await createSite({ core, settings: { dataDir: null } });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    async close() {
      await server.shutdown();
      site.close();
    },
  };
}

async function openLesions(page: Page, origin: string, pid: number): Promise<void> {
  await page.goto(`${origin}/login`);
  await page.evaluate(async ([email, password]) => {
    await fetch("/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
  }, [READER.email, READER.password]);
  await openViewer(page, origin, pid);
  await page.getByRole("tab", { name: "WMH" }).click();
  await viewerIsLoaded(page);
  await page.getByTestId("lesion-changes").waitFor();
}

browserTest(
  "changed lesions: read by keys in the viewer, then the same in report, table, SR and SEG",
  (t) =>
    withCore(async (test) => {
      const { pid, centresMm } = await comparedStudies(test), before = await told(test, pid);
      const site = await serve(test), browser = await launchBrowser();
      const page = await browser.newPage({ viewport: { width: 1280, height: 910 } });
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      try {
        await openLesions(page, site.origin, pid);
        const list = page.getByTestId("lesion-changes"), rows = list.getByRole("listitem");
        const current = list.locator("[aria-current=true]");
        const verdicts = async () =>
          (await listLesionChanges(test.api, pid)).lesions.map(({ is_confirmed }) => is_confirmed);

        await t.step("J and K go to each lesion's place, around the ends", async () => {
          assert.equal(await rows.count(), 3);
          for (
            const [key, n] of [["j", 0], ["j", 1], ["j", 2], ["j", 0], ["k", 2], ["k", 1], [
              "k",
              0,
            ]] as const
          ) {
            await page.keyboard.press(key);
            await current.filter({ hasText: `${n + 1}. ` }).waitFor();
            const mm = await page.evaluate("[...sliceViewer.scene.crosshairMm]") as number[];
            assert.ok(
              mm.every((x, axis) => Math.abs(x - centresMm[n]![axis]!) < 0.01),
              `${n}: ${mm}`,
            );
          }
        });

        await t.step(
          "Y confirms and U refuses; again takes it back; Escape and other keys decide nothing",
          async () => {
            await page.keyboard.press("y");
            await rows.nth(0).getByText("confirmed by Dr. Reader").waitFor();
            await page.keyboard.press("j");
            await page.keyboard.press("u");
            await rows.nth(1).getByText("rejected by Dr. Reader").waitFor();
            await page.keyboard.press("j");
            await page.keyboard.press("y");
            await rows.nth(2).getByText("confirmed by").waitFor();
            await page.keyboard.press("y");
            await rows.nth(2).getByText("confirmed by").waitFor({ state: "detached" });
            for (const key of ["Escape", "Escape", "n", "Enter"]) await page.keyboard.press(key);
            assert.deepEqual(await verdicts(), [true, false, null]);
            assert.ok(await list.isVisible());
          },
        );

        await t.step(
          "report, table, SR and SEG say what was decided, and are other objects than before",
          async () => {
            const after = await told(test, pid), ml = (BOX_MM3 / 1000).toFixed(2);
            assert.deepEqual(before.lines.length, 3);
            assert.deepEqual(after.lines, [
              `1 · New · ${ml} · Confirmed by Dr. Reader`,
              "3 · Resolved · 0.00 · Not reviewed",
            ]);
            assert.deepEqual([before.table, after.table], ["1,0,1,0", "1,0,1,1"]);
            assert.deepEqual(after.names, [
              "Changed part of white matter lesion 1: new",
              "Changed part of white matter lesion 3: resolved",
            ]);
            assert.deepEqual(
              before.names[1],
              "Changed part of white matter lesion 2: enlarging (uncertain)",
            );
            const seg = after.uids[0];
            assert.deepEqual(after.groups, [
              ["White matter lesion 1: new; confirmed by a reader", `${ml} mL`, `${seg}#1`],
              ["White matter lesion 3: resolved; not reviewed by a reader", "0 mL", `${seg}#2`],
            ]);
            assert.match(
              after.first.string("x00620006")!,
              /^Since 2025-01-05; confirmed by a reader/,
            );
            assert.equal(new Set([...before.uids, ...after.uids]).size, 4);
            // the segments are at the positions shown in the viewer, on the slices of the FLAIR
            // series
            for (const [at, { ras, mm3 }] of after.segments.entries()) {
              const mm = centresMm[[0, 2][at]!]!.map((x, axis) => x - MOVED[axis]!);
              assert.ok(ras.every((x, axis) => Math.abs(x - mm[axis]!) < 0.1), `${ras}, not ${mm}`);
              assert.ok(Math.abs(mm3 - BOX_MM3) < 1, `${mm3}`);
            }
          },
        );

        await t.step(
          "a kept region that is dragged is kept where it lies now, with its own figures",
          async () => {
            const [x, y, z] = centresMm[0]! as [number, number, number],
              corner = [x + 30, y + 24, z];
            const points_mm = [x - 30, y - 24, z, ...corner];
            const region = {
              kind: "ellipse",
              series: "t2",
              plane: "axial",
              points_mm,
              statistics: null,
            } as const;
            const drag = async () => {
              await page.evaluate(
                `(sliceViewer.goToMm(${JSON.stringify(corner)}), sliceViewer.renderer.drawNow())`,
              );
              const box = (await page.getByTestId("axial-view").boundingBox())!;
              const { mm: [px, py] } = JSON.parse(
                await page.evaluate("crosshairPixel('axial')") as string,
              );
              await page.mouse.move(box.x + px, box.y + py);
              await page.mouse.down();
              await page.mouse.move(box.x + px + 30, box.y + py + 20, { steps: 3 });
              await page.mouse.up();
            };
            await page.keyboard.press("w");
            // another user's measurement cannot be moved
            const id = await addMeasurement(test.api, pid, region);
            await page.getByTestId("measurement").waitFor();
            await drag();
            assert.deepEqual(
              await page.evaluate("sliceViewer.measurements.value[0].pointsMm"),
              points_mm,
            );
            await removeMeasurement(test.api, pid, id);
            await page.getByTestId("measurement").waitFor({ state: "detached" });
            await page.evaluate(async ([pid, region]) => {
              const headers = { "content-type": "application/json" };
              const body = JSON.stringify(region);
              await fetch(`/api/v1/patients/${pid}/measurements`, {
                method: "POST",
                headers,
                body,
              });
            }, [pid, region] as const);
            await page.getByTestId("measurement").waitFor();
            await drag();
            const [moved] = await until(async () => {
              const { measurements } = await listMeasurements(test.api, pid);
              return measurements[0]!.statistics ? measurements : null;
            });
            const [x0, y0, , x1, y1] = moved!.points_mm as [number, number, number, number, number];
            assert.deepEqual([x0, y0], [points_mm[0], points_mm[1]]);
            assert.ok(x1 < corner[0]! - 5 && y1 < corner[1]! - 3, `${moved!.points_mm}`);
            const areaMm2 = Math.PI / 4 * Math.abs((x1 - x0) * (y1 - y0));
            const { pixels, mean, sd } = moved!.statistics!;
            // voxels of 3 mm; statistics use the series' stored values, not the viewer's 120
            assert.ok(
              Math.abs(pixels * 9 / areaMm2 - 1) < 0.1,
              `${pixels} pixels of ${areaMm2} mm²`,
            );
            assert.ok(sd > 0 && mean > 255, `${mean} ± ${sd}`);
          },
        );

        await t.step(
          "a stored measurement and a key image are removed when that is confirmed, by nothing else",
          async () => {
            const question = page.getByRole("alertdialog"), row = page.getByTestId("measurement");
            const asked = async (press: () => Promise<void>) => {
              await press();
              await question.waitFor();
              await page.keyboard.press("Escape");
              await question.waitFor({ state: "detached" });
              await press();
              await question.getByRole("button", { name: "Cancel" }).click();
              await question.waitFor({ state: "detached" });
            };
            const removeMeasured = () => row.getByRole("button", { name: "Delete" }).click();
            await asked(removeMeasured);
            assert.equal((await listMeasurements(test.api, pid)).measurements.length, 1);
            await removeMeasured();
            await question.getByRole("button", { name: "Delete" }).click();
            await row.waitFor({ state: "detached" });
            assert.equal((await listMeasurements(test.api, pid)).measurements.length, 0);

            await page.getByRole("button", { name: "Key images", exact: true }).click();
            await page.getByRole("button", { name: viewerReadingText.addImage.en }).click();
            const image = page.getByTestId("key-image");
            await image.waitFor();
            // another user's key image appears without a reload, and cannot be removed by this user
            const png = encodePng(new Uint8Array(3 * 20 * 10).fill(90), 20, 10) as Uint8Array<
              ArrayBuffer
            >;
            await addKeyImage(test.api, pid, new Blob([png]), "a colleague's");
            await until(async () => await image.count() === 2);
            const removeImage = () => image.getByRole("button", { name: "Delete" }).click();
            await asked(removeImage);
            assert.equal((await listKeyImages(test.api, pid)).images.length, 2);
            await removeImage();
            await question.getByRole("button", { name: "Delete" }).click();
            await until(async () => await image.count() === 1);
            await image.getByText("a colleague's").waitFor();
          },
        );
        assert.deepEqual(errors, []);
      } finally {
        await browser.close();
        await site.close();
      }
    }),
);
