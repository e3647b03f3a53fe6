/**
 * Generates the pictures of README.md (docs/images), one per feature: scans of real heads on a
 * running site in Chromium.
 *
 * deno run -A tools/documents/readme_pictures.ts [--data FOLDER] [NAME …]
 *
 * `--data` keeps the data folder of the site, because its analyses take minutes; NAME limits the
 * run to these pictures. Needs a built site (`deno task build`), the tests' packages, Chromium, and
 * these scans, which are not part of the project:
 *
 * - t1_dicom_adult_philips: studyforrest, T1w of a defaced adult. PDDL.
 * - ms_patient01: T1w and FLAIR of a patient with multiple sclerosis, Lesjak et al.,
 * Neuroinformatics 2016. CC BY 4.0. NIfTI files, which this tool converts to DICOM. Names, dates,
 * age and sex of both people are invented.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Page } from "@/tests/browser.ts";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients, uploadFiles } from "@/client/api/studies/patients.ts";
import { applyAffine } from "@/model/geometry.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import {
  EMAIL,
  launchBrowser,
  openPage,
  PASSWORD,
  ROOT,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { type Element, writeInstance } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { allAnalysed } from "@/tests/sites/core_site.ts";
import { viewerIsLoaded } from "@/tests/viewer/viewer_picture.ts";

const SCANS = Deno.env.get("SULCUS_SCANS") ?? `${ROOT}../shared/data/scans`;
const IMAGES = `${ROOT}docs/images`;

/** Uses the second visit: the T1w of the first visit has fewer slices than the engine requires. */
const SERIES = [
  { path: "study2_T1W.nii.gz", name: "T1W", te: 12, tr: 550 },
  { path: "study2_FLAIR.nii.gz", name: "T2W FLAIR", te: 140, tr: 11_000, ti: 2800 },
];

interface Studies {
  adult: number;
  patient: number;
}

interface NamedFile {
  fileName: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Converts a NIfTI file to an axial DICOM series:
 * slices along its third axis, positions from its affine.
 */
function seriesOf({ path, name, te, tr, ti }: (typeof SERIES)[number], at: number): NamedFile[] {
  const { voxels, shape: [nx, ny, nz], rasFromIjk } = decodeNifti(
    readFileSync(`${SCANS}/ms_patient01/${path}`),
  );
  const lps = (i: number, j: number, k: number) => {
    const [x, y, z] = applyAffine(rasFromIjk, [i, j, k]);
    return [-x, -y, z];
  };
  const corner = lps(0, 0, 0);
  const along = (to: number[]) => to.map((value, axis) => value - corner[axis]!);
  const [row, column, through] = [along(lps(1, 0, 0)), along(lps(0, 1, 0)), along(lps(0, 0, 1))];
  const [dx, dy, dz] = [row, column, through].map((step) => Math.hypot(...step)) as [
    number,
    number,
    number,
  ];
  const text = (values: readonly number[]) => values.map((value) => value.toFixed(6));
  const uid = (...parts: number[]) => `2.25.77001${parts.map((n) => `${n + 1000}`).join("")}`;
  const elements: Element[] = [
    [0x00080008, "CS", ["ORIGINAL", "PRIMARY", "M"]],
    [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
    [0x00080020, "DA", "20260312"],
    [0x00080060, "CS", "MR"],
    [0x0008103e, "LO", name],
    [0x00100010, "PN", "Example^Two"],
    [0x00100020, "LO", "EXAMPLE-2"],
    [0x00100030, "DA", "19840310"],
    [0x00100040, "CS", "F"],
    [0x00180020, "CS", ti === undefined ? ["SE"] : ["SE", "IR"]],
    [0x00180023, "CS", "2D"],
    [0x00180050, "DS", dz.toFixed(4)],
    [0x00180080, "DS", String(tr)],
    [0x00180081, "DS", String(te)],
    ...ti === undefined ? [] : [[0x00180082, "DS", String(ti)] as const],
    [0x00181030, "LO", name],
    [0x0020000d, "UI", uid(0)],
    [0x0020000e, "UI", uid(at + 1)],
    [0x00200011, "IS", String(at + 1)],
    [0x00200037, "DS", text([...row.map((v) => v / dx), ...column.map((v) => v / dy)])],
    [0x00280030, "DS", text([dy, dx])],
  ];
  return Array.from({ length: nz }, (_, k) => {
    const slice = voxels.subarray(k * nx * ny, (k + 1) * nx * ny);
    const sliceElements: Element[] = [
      [0x00080018, "UI", uid(at + 1, k + 1)],
      [0x00200013, "IS", String(k + 1)],
      [0x00200032, "DS", text(lps(0, 0, k))],
    ];
    const image = {
      columns: nx,
      rows: ny,
      pixels: Uint16Array.from(slice, (value) => Math.max(0, value)),
    };
    return {
      fileName: `${at + 1}_${k + 1}.dcm`,
      bytes: new Uint8Array(
        writeInstance([...elements, ...sliceElements], image, "explicit", "ISO_IR 192"),
      ),
    };
  });
}

/** Uploads missing studies to the site and waits for their analyses. @returns the study ids. */
async function prepare(api: Api): Promise<Studies> {
  if ((await listPatients(api)).total === 0) {
    const folder = `${SCANS}/t1_dicom_adult_philips`;
    await uploadFiles(
      api,
      readdirSync(folder).map((name) => ({
        fileName: name,
        bytes: new Uint8Array(readFileSync(`${folder}/${name}`)),
      })),
    );
    const { failed } = await uploadFiles(api, SERIES.flatMap(seriesOf));
    if (failed.length > 0) {
      throw new Error(`The examination was refused: ${JSON.stringify(failed[0])}`);
    }
  }
  await allAnalysed(api);
  return { adult: 1, patient: 2 };
}

const shoot = (page: Page, name: string) => page.screenshot({ path: `${IMAGES}/${name}.png` });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function openTab(page: Page, pid: number, tab: string | null): Promise<void> {
  await page.goto(`/viewer/${pid}?testing`);
  await viewerIsLoaded(page);
  if (tab === null) return;
  await page.getByRole("tab", { name: tab }).click();
  await viewerIsLoaded(page);
}

/** Functions that make the pictures, by name of the picture. */
const PICTURES: Record<string, (page: Page, studies: Studies) => Promise<void>> = {
  async worklist(page) {
    await page.goto("/");
    await page.locator("tr[data-pid]").first().waitFor();
    await shoot(page, "worklist");
  },
  async viewer(page, { adult }) {
    await openTab(page, adult, null);
    await button(page, "Mask").click();
    await page.getByRole("treeitem", { name: /^Hippocampus/ }).click();
    await page.getByText(/Hippocampus\s+·\s+Left|Left hippocampus/).first().waitFor();
    await button(page, "All regions").click();
    await page.waitForTimeout(2000);
    await shoot(page, "viewer");
  },
  async thickness(page, { adult }) {
    await openTab(page, adult, "Cortical Thickness");
    await button(page, "Mask").click();
    await page.waitForTimeout(2000);
    await shoot(page, "thickness");
  },
  async lesions(page, { patient }) {
    await openTab(page, patient, "WMH");
    await button(page, "Deep").click();
    await button(page, "Periventricular").click();
    await page.keyboard.press("n");
    await page.waitForTimeout(2000);
    await shoot(page, "lesions");
  },
  async report(page, { adult }) {
    await page.goto(`/report/${adult}`);
    const sheet = page.locator('.report-sheet[aria-label^="Main Page"]');
    await sheet.waitFor();
    // scrolls below the bar that stays above the report's pages
    await page.setViewportSize({ width: 1280, height: 1400 });
    await sheet.evaluate((found: HTMLElement) => {
      scrollBy(0, found.getBoundingClientRect().top - 120);
    });
    await page.waitForTimeout(2000);
    await sheet.screenshot({ path: `${IMAGES}/report.png` });
  },
  async bench(page) {
    await page.goto("/bench");
    await page.getByRole("button", { name: "Measure" }).click();
    await page.getByText("results correct.").waitFor({ timeout: 120_000 });
    await shoot(page, "bench");
  },
};

if (import.meta.main) {
  const at = Deno.args.indexOf("--data"), dataDir = at < 0 ? undefined : Deno.args[at + 1];
  const names = Deno.args.filter((name) => Object.hasOwn(PICTURES, name));
  if (!existsSync(SCANS)) throw new Error(`Cannot make pictures: there are no scans in ${SCANS}`);
  await using site = await startSite({ dataDir, workers: 2 });
  const open: Api = { send: (request) => fetch(request), origin: site.url };
  const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
  const studies = await prepare({ ...open, token: access_token });
  const browser = await launchBrowser({ gl: true });
  try {
    const { page } = await openPage(browser, site.url);
    await signIn(page);
    for (const [name, picture] of Object.entries(PICTURES)) {
      if (names.length > 0 && !names.includes(name)) continue;
      await picture(page, studies);
      console.log(`docs/images/${name}.png`);
    }
  } finally {
    await browser.close();
  }
}
