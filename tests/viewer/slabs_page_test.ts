// covers: S-227
// The viewer on a slow connection: slices around the crosshair are shown long before all have
// arrived.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { slowLine } from "@/bench/machine/slow_line.ts";
import { affineFromRowMajor, applyAffine, type Shape } from "@/model/geometry.ts";
import { createSite } from "@/server/edge/site.ts";
import { browserTest, launchBrowser, pageStarts } from "@/tests/e2e/site.ts";
import { EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { until } from "@/tests/sites/until.ts";
import { viewerIsLoaded } from "@/tests/viewer/viewer_picture.ts";

const SHAPE: Shape = [160, 160, 160], SLICE = 160 * 160, VOXELS = SLICE * 160;
const ROWS = [1, 0, 0, -80, 0, 1, 0, -80, 0, 0, 1, -80, 0, 0, 0, 1];
const MEGABIT = 1e6;
/** Voxel index of the crosshair in the page's address; not the middle of the volume. */
const AT: [number, number, number] = [80, 90, 118];

/** Noise that cannot be compressed, with values that differ by position. */
function images() {
  let state = 227;
  const t1 = Uint8Array.from({ length: VOXELS }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 30 + (state >>> 24) % 220;
  });
  const labels = Uint8Array.from({ length: VOXELS }, (_, v) => v % 160 < 80 ? 20 : 19);
  return { shape: SHAPE, rows: ROWS, t1, t2: t1, labels, lesions: new Uint8Array(VOXELS) };
}

/** Script that records when slices around the crosshair are there, and how many slices are. */
const OBSERVE = `globalThis.seen = null;
const look = () => {
  const session = globalThis.sliceViewer;
  const has = (k) => session?.isReady.value && session.isThere([80, 90, k]);
  if ([-3, -2, -1, 0, 1, 2, 3].every((step) => has(${AT[2]} + step))) {
    let there = 0;
    for (let k = 0; k < 160; k++) if (has(k)) there++;
    globalThis.seen = { atMs: Date.now(), there };
  } else setTimeout(look, 10);
};
look();`;

interface Seen {
  atMs: number;
  there: number;
}

const valueAt = (page: Page, ijk: readonly number[]) =>
  page.evaluate(
    (at) =>
      (globalThis as unknown as {
        sliceViewer: { valueAt(slot: string, ijk: readonly number[]): number };
      }).sliceViewer.valueAt("t1w", at),
    ijk,
  );

browserTest(
  "at 10 Mbit/s the slices around the crosshair are there before half of the image",
  () =>
    withCore(async ({ core, dataDir }) => {
      const truth = images(), pid = await addReadStudy(dataDir, { images: truth });
      /** image requests with the time of their response */
      const answered: { atMs: number; slices: string | null }[] = [];
      const site = await createSite({
        core: {
          ...core,
          fetch: (request: Request) => {
            const { searchParams } = new URL(request.url);
            if (searchParams.get("file") === "t1w_file" && searchParams.has("v")) {
              answered.push({ atMs: Date.now(), slices: searchParams.get("slices") });
            }
            return core.fetch(request);
          },
        },
        settings: { dataDir: null },
      });
      const server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        (request, info) => site.fetch(request, info),
      );
      const line = slowLine(`http://127.0.0.1:${server.addr.port}`, 10 * MEGABIT, 10);
      const browser = await launchBrowser();
      try {
        const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
        context.setDefaultTimeout(180_000);
        const page = await context.newPage();
        await page.goto(`${line.origin}/login`);
        await page.evaluate(async ([email, password]) => {
          await fetch("/api/v1/auth/login", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ email, password }),
          });
        }, [EMAIL, PASSWORD]);
        await page.addInitScript(OBSERVE);
        const mm = applyAffine(affineFromRowMajor<"Ras", "Ijk">(ROWS), AT);
        answered.length = 0;
        await page.goto(`${line.origin}/viewer/${pid}?testing&at=${mm.join("_")}`);
        await pageStarts(page);
        const seen = await until(() => page.evaluate(() => (globalThis as { seen?: Seen }).seen));
        assert.ok(seen.there < 80, `${seen.there} of 160 slices`);
        await viewerIsLoaded(page);
        const slabs = answered.filter(({ slices }) => slices !== null);
        const before = slabs.filter(({ atMs }) => atMs <= seen.atMs).length;
        assert.ok(before <= slabs.length / 2, `${before} of ${slabs.length} requests`);
        const [first, last] = slabs[0]!.slices!.split("-").map(Number);
        assert.ok(first! <= AT[2] && AT[2] <= last!, slabs[0]!.slices!);
        for (const k of [0, 1, 40, 79, 80, 115, 118, 121, 158, 159]) {
          const ijk = [33, 121, k], at = 33 + 160 * 121 + SLICE * k;
          assert.equal(await valueAt(page, ijk), truth.t1[at], `slice ${k}`);
        }
      } finally {
        await browser.close();
        await line.close();
        await server.shutdown();
        site.close();
      }
    }),
);
