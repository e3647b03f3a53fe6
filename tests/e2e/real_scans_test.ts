// Real scans through the page: an adult, a child outside the norms, and damaged files. The scans
// are not part of the project; without them these tests are skipped.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import dcm2niix from "../../node_modules/@niivue/dcm2niix/dist/dcm2niix.jpeg.js";
import type { Page } from "@playwright/test";
import {
  hasChromium,
  launchBrowser,
  openPage,
  pageStarts,
  ROOT,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { NO_NETWORKS, setGroup } from "@/tests/sites/group_settings.ts";
import type { AcceptanceList } from "@/model/schema/report/acceptance.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";
import type { UploadResponse } from "@/model/schema/studies/upload.ts";
import type { ViewerVolume } from "@/model/schema/studies/viewer_files.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";

const SCANS = Deno.env.get("SULCUS_SCANS") ?? `${ROOT}../shared/data/scans`;
const ADULT = `${SCANS}/t1_dicom_adult_philips`, CHILD = `${SCANS}/t1_dicom_child_siemens`;
const ignore = !hasChromium || !existsSync(ADULT);
const why = ignore ? " (skipped: needs Chromium and real scans)" : "";
const LEFT_HIPPOCAMPUS = 19, RIGHT_HIPPOCAMPUS = 20;

/** Independent reading of a series: converter run directly, its NIfTI header parsed here. */
interface Reference {
  at(rasMm: readonly number[]): number;
}

async function referenceOf(folder: string): Promise<Reference> {
  // deno-lint-ignore no-explicit-any -- the package has no types for its Emscripten module
  const module: any = await (dcm2niix as any)({ noInitialRun: true, print() {}, printErr() {} });
  module.FS.mkdir("/in");
  module.FS.mkdir("/out");
  for (const name of readdirSync(folder)) {
    module.FS.writeFile(`/in/${name}`, Deno.readFileSync(`${folder}/${name}`));
  }
  assert.equal(module.callMain(["-o", "/out", "-z", "n", "-b", "n", "-f", "out", "/in"]), 0);
  const bytes: Uint8Array = module.FS.readFile("/out/out.nii");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dim = [1, 2, 3].map((i) => view.getInt16(40 + 2 * i, true)) as [number, number, number];
  const type = view.getInt16(70, true), start = view.getFloat32(108, true);
  assert.ok(type === 4 || type === 512, `NIfTI type ${type} is not 16 bit`);
  const row = (r: number) => [0, 1, 2, 3].map((c) => view.getFloat32(280 + 16 * r + 4 * c, true));
  const [a, b, c] = [row(0), row(1), row(2)] as [number[], number[], number[]];
  const cross = (u: number[], v: number[]) => [
    u[1]! * v[2]! - u[2]! * v[1]!,
    u[2]! * v[0]! - u[0]! * v[2]!,
    u[0]! * v[1]! - u[1]! * v[0]!,
  ];
  const bc = cross(b, c), ca = cross(c, a), ab = cross(a, b);
  const determinant = a[0]! * bc[0]! + a[1]! * bc[1]! + a[2]! * bc[2]!;
  return {
    at(rasMm) {
      const d = [rasMm[0]! - a[3]!, rasMm[1]! - b[3]!, rasMm[2]! - c[3]!];
      const ijk = [0, 1, 2].map((n) =>
        Math.round((bc[n]! * d[0]! + ca[n]! * d[1]! + ab[n]! * d[2]!) / determinant)
      );
      if (ijk.some((v, n) => v < 0 || v >= dim[n]!)) return 0;
      const offset = start + 2 * (ijk[0]! + dim[0] * (ijk[1]! + dim[1] * ijk[2]!));
      return type === 4 ? view.getInt16(offset, true) : view.getUint16(offset, true);
    },
  };
}

const getJson = <T>(page: Page, path: string): Promise<T> =>
  page.evaluate((p) => fetch(p).then((r) => r.json()), path) as Promise<T>;

/** Voxels of a viewer file: NPY 1.0, unsigned bytes. */
async function voxelsOf(page: Page, path: string): Promise<Uint8Array> {
  const text = await page.evaluate(async (p) => {
    const bytes = new Uint8Array(await (await fetch(p)).arrayBuffer());
    let out = "";
    for (let i = 0; i < bytes.length; i += 32768) {
      out += String.fromCharCode(...bytes.subarray(i, i + 32768));
    }
    return btoa(out);
  }, path);
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return bytes.subarray(10 + bytes[8]! + 256 * bytes[9]!);
}

async function upload(page: Page, folder: string): Promise<UploadResponse> {
  await page.goto("/");
  await pageStarts(page);
  await page.getByRole("button", { name: "Upload", exact: true }).first().click();
  await page.locator("input[data-pick=folder]").setInputFiles(folder);
  await page.getByText(/^\d+ files?, /).waitFor();
  const [answer] = await Promise.all([
    // the files are sent in several requests; the last one has the result
    page.waitForResponse((r) => r.url().includes("&is_last=1"), { timeout: 120_000 }),
    page.locator("dialog").getByRole("button", { name: "Upload", exact: true }).click(),
  ]);
  assert.ok(answer.status() < 500, `upload of ${folder} answered ${answer.status()}`);
  const result = await answer.json() as UploadResponse;
  await page.getByRole("button", { name: "Done" }).click();
  return result;
}

/** Sends all files of a folder like a program, because the dialog would leave some out. */
async function sendAll(
  page: Page,
  folder: string,
  names: readonly string[],
): Promise<UploadResponse> {
  const multipart = new FormData();
  for (const name of names) {
    multipart.append("dicom_files", new File([readFileSync(`${folder}/${name}`)], name));
  }
  const { origin } = new URL(page.url());
  const answer = await page.request.post("/api/v1/patients", { headers: { origin }, multipart });
  return await answer.json() as UploadResponse;
}

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const n = pairs.length, mean = [0, 1].map((k) => pairs.reduce((sum, p) => sum + p[k]!, 0) / n);
  let xy = 0, xx = 0, yy = 0;
  for (const [x, y] of pairs) {
    xy += (x - mean[0]!) * (y - mean[1]!);
    xx += (x - mean[0]!) ** 2;
    yy += (y - mean[1]!) ** 2;
  }
  return xy / Math.sqrt(xx * yy);
}

/** Starts an acceptance test for each scanner, and reads its sheet in both languages. */
async function readAcceptanceSheets(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  const { scanners } = await getJson<AcceptanceList>(page, "/api/v1/acceptances");
  assert.equal(scanners.length, 2);
  for (const data of scanners.map(({ scanner, protocol }) => ({ scanner, protocol }))) {
    const begun = await page.request.post("/api/v1/acceptances", { headers: { origin }, data });
    const { id } = await begun.json() as { id: number };
    for (const language of LANGUAGES) {
      await page.context().addCookies([{ name: "language", value: language, url: origin }]);
      await page.goto("/");
      await page.goto(`/acceptance#test-${id}`);
      await pageStarts(page);
      const sheet = page.getByRole("article");
      await sheet.getByText(textIn(acceptanceText.sheet, language, { id })).first().waitFor();
      // one study is not enough for percentiles, and the sheet says so
      const [why] = textIn(acceptanceText.why, language, { reasons: "\n" }).split("\n");
      const reasons = await sheet.getByText(why!).innerText();
      assert.ok(reasons.includes(acceptanceText.studies[language]), reasons);
      const words = await sheet.innerText();
      assert.ok(words.includes(data.scanner) && words.includes(data.protocol), words);
    }
  }
  await page.context().addCookies([{ name: "language", value: "en", url: origin }]);
}

Deno.test({
  name:
    "real scans: left is left by another reader's affine, volumes are plausible, a child has no percentiles" +
    why,
  ignore,
  fn: async () => {
    await using site = await startSite({ networks: true });
    const browser = await launchBrowser();
    const { page, errors } = await openPage(browser, site.url);
    try {
      await signIn(page);
      const adult = (await upload(page, ADULT)).pid_list[0]!;
      // without networks, which were tested with the adult and would take another minute
      await setGroup(site.dataDir, NO_NETWORKS);
      const child = (await upload(page, CHILD)).pid_list[0]!;
      for (const folder of ["dicom_odd", "dicom_charsets"]) {
        const files = readdirSync(`${SCANS}/${folder}`).filter((name) => name.endsWith(".dcm"));
        const { success, failed } = await sendAll(page, `${SCANS}/${folder}`, files);
        assert.equal(success, 0, folder);
        assert.equal(failed.length, files.length, `${folder}: one verdict a file`);
        assert.ok(
          failed.every((f) => f.code === "upload.format_not_supported" && f.reason),
          JSON.stringify(failed),
        );
      }
      for (const pid of [adult, child]) {
        await page.locator(`tr[data-pid="${pid}"]`).getByText("Completed").waitFor({
          timeout: 600_000,
        });
      }

      const patient = await getJson<Patient>(page, `/api/v1/patients/${adult}`);
      const volume = await getJson<ViewerVolume>(page, `/api/v1/patients/${adult}/volume`);
      const [labels, intensities] = await Promise.all([
        voxelsOf(page, patient.t1w_mask_file!),
        voxelsOf(page, patient.t1w_file!),
      ]);
      const [nx, ny, nz] = volume.shape, m = volume.affine;
      assert.equal(labels.length, nx * ny * nz);
      const toRas = (v: number) => {
        const ijk = [v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny)), 1];
        return [0, 1, 2].map((r) => ijk.reduce((sum, x, c) => sum + m[4 * r + c]! * x, 0));
      };
      const reference = await referenceOf(ADULT);
      const straight: [number, number][] = [], mirrored: [number, number][] = [];
      for (let v = 0; v < labels.length; v += 97) {
        if (labels[v] === 0) continue;
        const [x, y, z] = toRas(v) as [number, number, number];
        straight.push([intensities[v]!, reference.at([x, y, z])]);
        mirrored.push([intensities[v]!, reference.at([-x, y, z])]);
      }
      assert.ok(correlation(straight) > 0.95, `same place: correlation ${correlation(straight)}`);
      assert.ok(correlation(mirrored) < 0.8, `mirrored: correlation ${correlation(mirrored)}`);
      const meanX = (label: number) => {
        let sum = 0, n = 0;
        for (let v = labels.indexOf(label); v >= 0; v = labels.indexOf(label, v + 1), n++) {
          sum += toRas(v)[0]!;
        }
        return sum / n;
      };
      assert.ok(
        meanX(LEFT_HIPPOCAMPUS) < -15,
        `left hippocampus at x = ${meanX(LEFT_HIPPOCAMPUS)} mm`,
      );
      assert.ok(
        meanX(RIGHT_HIPPOCAMPUS) > 15,
        `right hippocampus at x = ${meanX(RIGHT_HIPPOCAMPUS)} mm`,
      );

      const brainMl = patient.t1_result!.reduce((sum, r) => sum + r.volume_total, 0);
      assert.ok(brainMl > 900 && brainMl < 1700, `brain volume ${brainMl} mL`);
      // percentiles by age and sex; by ICV only if it is measured well enough
      assert.equal(patient.norm_reason, null);
      assert.ok(patient.t1_result!.some((r) => r.np_volume_left !== null));
      const peakMb = [...site.output().matchAll(/"peak_mb":(\d+)/g)].map((found) =>
        Number(found[1])
      );
      assert.ok(peakMb.length === 2 && Math.max(...peakMb) < 1500, `engine peak ${peakMb} MB`);

      const young = await getJson<Patient>(page, `/api/v1/patients/${child}`);
      assert.equal(young.norm_reason, "age_outside_norms");
      for (const region of young.t1_result!) {
        assert.equal(region.np_icv_total, null);
        assert.equal(region.np_volume_total, null);
      }
      await page.goto(`/report/${child}`);
      await page.getByText(/18.100/).first().waitFor();

      await readAcceptanceSheets(page);

      // on the screen, the crosshair on the left hippocampus is right of the middle
      await page.goto(`/viewer/${adult}`);
      await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Mask", exact: true }).click();
      await page.getByRole("treeitem", { name: /^Hippocampus/ }).click();
      await page.getByText(/Left hippocampus|Hippocampus\s+·\s+Left/).first().waitFor();
      const readout = await page.getByTestId("crosshair-readout").innerText();
      assert.match(readout, /L \d+\.\d\s+[AP] /);
      await page.getByRole("button", { name: "Mask", exact: true }).click(); // grey, blue lines
      await page.evaluate(() =>
        new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
      );
      const pane = page.locator('[data-testid="axial-view"] canvas').last();
      const sides = await pane.evaluate((canvas: HTMLCanvasElement) => {
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const context = copy.getContext("2d")!;
        context.drawImage(canvas, 0, 0);
        const { data, width, height } = context.getImageData(0, 0, copy.width, copy.height);
        // the crosshair's vertical line is the column with the most blue over its whole height
        let best = 0, at = 0;
        for (let x = 0; x < width; x++) {
          let lit = 0;
          for (let y = 0; y < height; y++) {
            const p = 4 * (x + width * y);
            if (data[p + 2]! > 120 && data[p + 2]! > data[p]! + 40) lit++;
          }
          if (lit > best) [best, at] = [lit, x];
        }
        return { at: at / width, lit: best / height };
      });
      assert.ok(sides.lit > 0.5, `no crosshair found: ${JSON.stringify(sides)}`);
      assert.ok(sides.at > 0.53, `left hippocampus is drawn at ${sides.at} of the width`);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  },
});
