// Time from the end of a brush stroke on a label map to the updated volumes: in the viewer's page,
// and in the core alone with up to a hundred strokes on the map. Uses its own site and database.
import { gzipSync } from "node:zlib";
import type { Row } from "@/bench/record.ts";
import type { BenchVolumes } from "@/bench/viewer/phantom.ts";
import { figure, quantile } from "@/bench/viewer/rows.ts";
import type { BenchSite } from "@/bench/viewer/site.ts";
import { addStroke, changeStrokes } from "@/client/api/reading/strokes.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import {
  completeAnalysis,
  type FileField,
  insertAnalysis,
  startAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { insertBlobs } from "@/server/core/blobs/blob_index.ts";
import { chunksOf, DiskBlobs, type StagedBlob } from "@/server/core/blobs/blobs.ts";
import type { Database } from "@/server/core/database/database.ts";
import { setActiveSeries, setLatestAnalysis } from "@/server/core/studies/storage/patients.ts";
import { insertSeries } from "@/server/core/studies/storage/series.ts";
import { createSite } from "@/server/edge/site.ts";
import { rowMajor } from "@/model/geometry.ts";
import { launchBrowser } from "@/tests/e2e/site.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";
import { openViewer } from "@/tests/viewer/viewer_picture.ts";

const MOST_MS = 1000, STROKES = 100, DRAGS = 20, HIPPOCAMPUS = 19, AT = "2026-01-06T00:00:00.000Z";
const READER = { email: "reader@hospital.test", password: "Reading-42-pages" };

/** Adds a study with a completed T1w analysis, its images and its label map. */
async function addAnalysed({ dataDir }: TestCore, volumes: BenchVolumes): Promise<number> {
  const { labels, shape } = volumes;
  await addStudies(dataDir, 1, () => ({ age: 70, sex: "female" }));
  const db = await openBeside(dataDir),
    blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true }),
    pid = 1;
  const kept: StagedBlob[] = [];
  const keep = async (bytes: Uint8Array): Promise<string> => {
    const staged = await blobs.stage(chunksOf(bytes), Infinity).staging;
    (await blobs.keep([staged])).release();
    kept.push(staged);
    return staged.hash;
  };
  const file = async (field: FileField, voxels: Uint8Array) => {
    const npy = encodeNpy(voxels, shape);
    return {
      field,
      blob: await keep(npy),
      gzipBlob: await keep(Uint8Array.from(gzipSync(npy, { level: 1 }))),
    };
  };
  const volumesMm3 = new Array<number>(105).fill(0);
  for (const label of labels) volumesMm3[label]!++;
  const volumeBlob = await keep(new Uint8Array(1)), seriesUid = "1.2.3.1.1", kind = "t1";
  const files = [await file("t1w_file", volumes.base), await file("t1w_mask_file", labels)];
  const store = async (db: Database) => {
    await insertBlobs(db, kept, AT);
    const seriesId = await insertSeries(db, {
      pid,
      seriesUid,
      kind,
      description: "T1w",
      volumeBlob,
      createdAt: AT,
    });
    await setActiveSeries(db, pid, kind, seriesId);
    const id = await insertAnalysis(db, {
      pid,
      seriesId,
      kind,
      parameters: {},
      inputHashes: [],
      requestedAt: AT,
      requestedBy: null,
    });
    await setLatestAnalysis(db, pid, kind, id);
    await startAnalysis(db, id, AT);
    await completeAnalysis(db, id, {
      engineVersion: "sulcus-engine 0.4.0",
      results: {
        volumesMm3: volumesMm3.with(0, 0),
        icvMm3: 1_409_000,
        shape,
        rasFromIjkRows: rowMajor(volumes.rasFromIjk),
        quality: { grade: "A", warnings: [] },
      },
      stages: [],
      files,
      finishedAt: AT,
    });
  };
  try {
    await db.transaction().execute(store);
    await addQuickUser(db, { ...READER, name: "Dr. Reader" });
  } finally {
    await db.destroy();
  }
  return pid;
}

/** Runs of voxels in a disc with a diameter of 9 voxels in the head: one brush stroke. */
function runsAt(n: number, [nx, ny]: BenchVolumes["shape"]): number[] {
  const i = 90 + n % 10 * 7, j = 90 + Math.floor(n / 10) * 7, k = 100 + n % 50;
  return [-4, -3, -2, -1, 0, 1, 2, 3, 4].flatMap((dj) => {
    const half = Math.floor(Math.sqrt(20 - dj * dj));
    return [i - half + nx * (j + dj + ny * k), 2 * half + 1];
  });
}

/** Duration of each stroke and of undoing each stroke in the core, ms. */
async function coreRows(
  { api }: TestCore,
  pid: number,
  shape: BenchVolumes["shape"],
): Promise<Row[]> {
  const times = { painted: [] as number[], "taken back": [] as number[] };
  const timed = async <T>(into: number[], work: () => Promise<T>): Promise<T> => {
    const since = performance.now(), answer = await work();
    into.push(performance.now() - since);
    return answer;
  };
  let before = -1;
  for (let n = 0; n < STROKES; n++) {
    const post = { series: "t1", value: HIPPOCAMPUS, runs: runsAt(n, shape) } as const;
    const { patient } = await timed(times.painted, () => addStroke(api, pid, post));
    const now = patient.t1_result!.find(({ part_index: [label] }) => label === HIPPOCAMPUS)!
      .volume_left!;
    if (now < before) throw new Error(`Wrong answer: ${now} mL after ${before} mL`);
    before = now;
  }
  for (let n = 0; n < STROKES; n++) {
    await timed(times["taken back"], () => changeStrokes(api, pid, "t1", "undo"));
  }
  return Object.entries(times).flatMap(([name, values]) => [
    figure(
      `edit, core: a stroke ${name}, up to ${STROKES} on the map, p95`,
      quantile(values, 0.95),
      "ms",
      MOST_MS,
    ),
    figure(`edit, core: a stroke ${name}, median`, quantile(values, 0.5), "ms"),
  ]);
}

/** ms from the release of the mouse to the frame with the new volumes, for each brush stroke. */
async function pageRows({ core }: TestCore, pid: number): Promise<Row[]> {
  const site = await createSite({ core, settings: { dataDir: null } });
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request, info) => site.fetch(request, info),
  );
  const origin = `http://127.0.0.1:${server.addr.port}`, browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 910 } });
    await page.goto(`${origin}/login`);
    await page.evaluate(async (user) => {
      await fetch("/api/v1/auth/login", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(user),
      });
    }, READER);
    await openViewer(page, origin, pid);
    await page.evaluate(`sliceViewer.goTo(${HIPPOCAMPUS})`);
    await page.keyboard.press("w");
    await page.getByRole("button", { name: "Correct", exact: true }).click();
    await page.getByRole("button", { name: "Paint", exact: true }).click();
    await page.evaluate(`globalThis.released = 0, globalThis.shown = [];
      addEventListener("pointerup", () => released = performance.now(), true);
      sliceViewer.resultChanges.subscribe(() => requestAnimationFrame(() =>
        requestAnimationFrame(() => released && shown.push(performance.now() - released))))`);
    const box = (await page.getByTestId("axial-view").boundingBox())!;
    for (let n = 0; n < DRAGS; n++) {
      const x = box.x + box.width * (0.35 + 0.015 * n), y = box.y + box.height * 0.4;
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 4, y + 30, { steps: 4 });
      await page.mouse.up();
      await page.waitForFunction(
        (n) => (globalThis as unknown as { shown: number[] }).shown.length > n,
        n,
      );
    }
    const shown = await page.evaluate("shown") as number[];
    const name = "edit, page: release of the brush to new numbers";
    return [
      figure(`${name}, p95`, quantile(shown, 0.95), "ms", MOST_MS),
      figure(`${name}, median`, quantile(shown, 0.5), "ms"),
    ];
  } finally {
    await browser.close();
    await server.shutdown();
    site.close();
  }
}

export async function editRows({ volumes }: BenchSite): Promise<Row[]> {
  const rows: Row[] = [];
  await withCore(async (test) => {
    const pid = await addAnalysed(test, volumes);
    rows.push(...await pageRows(test, pid), ...await coreRows(test, pid, volumes.shape));
  });
  return rows;
}
