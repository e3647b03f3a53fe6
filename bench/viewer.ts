/**
 * The viewer page in a browser of 1280 × 800, with a head of 256³ voxels and 104 labels: speed,
 * memory and correctness, compared with NiiVue on the same voxels.
 *
 * deno task bench viewer [--only PART,PART] [--json FILE]; needs Chromium and a built site; 7 min.
 */
import { finish, optionOf, type Row } from "@/bench/record.ts";
import { browserVersion, closeBrowsers, softwareGl } from "@/bench/viewer/browser.ts";
import { correctnessRows } from "@/bench/viewer/correctness.ts";
import { editRows } from "@/bench/viewer/edit.ts";
import { interactionRows } from "@/bench/viewer/interaction.ts";
import { linkedRows } from "@/bench/viewer/linked.ts";
import { openingRows, thinClientRows } from "@/bench/viewer/loading.ts";
import { memoryRows } from "@/bench/viewer/memory.ts";
import { measurePeer, nothingMeasured, type PeerFigures } from "@/bench/viewer/peer.ts";
import { against, broken } from "@/bench/viewer/rows.ts";
import { type BenchSite, serveBench } from "@/bench/viewer/site.ts";
import { surfaceRows } from "@/bench/viewer/surface.ts";

/** Time limit of all parts together, ms. */
const TOTAL_MS = 420_000;
/** Time limit of NiiVue's part, ms; a machine without other load needs half of it. */
const PEER_MS = 165_000;
const end = performance.now() + TOTAL_MS;

async function within<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  const left = Math.min(limitMs, end - performance.now());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`not done after ${Math.round(left / 1000)} s`)),
      Math.max(left, 0),
    );
  });
  const working = work();
  working.catch(() => {/* it was given up */});
  try {
    return await Promise.race([working, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opening and interaction in one page, with WebGL rendered in software. */
async function pageRows(site: BenchSite, peer: PeerFigures | null): Promise<Row[]> {
  const browser = await softwareGl();
  try {
    const { page, frameMs, rows } = await openingRows(browser, site);
    if (peer) {
      const name = "software WebGL: navigation to the complete first frame";
      rows.unshift(against(name, frameMs, peer.firstFrameMs, "ms", 0.1));
    }
    return [...rows, ...await interactionRows(page, site, peer)];
  } finally {
    await browser.close();
  }
}

const PARTS: [
  name: string,
  limitMs: number,
  work: (s: BenchSite, p: PeerFigures | null) => Promise<Row[]>,
][] = [
  ["no GPU", 60_000, thinClientRows],
  ["correctness", 60_000, correctnessRows],
  ["page", 90_000, pageRows],
  ["surface", 60_000, surfaceRows],
  ["memory", 90_000, memoryRows],
  ["linked", 90_000, linkedRows],
  ["edit", 60_000, editRows],
];

async function measureAll(only: readonly string[] | null): Promise<Row[]> {
  const isAsked = (name: string) => only === null || only.includes(name);
  const site = await serveBench(), rows: Row[] = [];
  const peer = isAsked("peer") ? nothingMeasured() : null;
  try {
    if (peer) {
      await within(PEER_MS, () => measurePeer(site, peer)).catch((error) =>
        rows.push(broken("peer", error))
      );
      await closeBrowsers();
    }
    for (const [name, limitMs, work] of PARTS) {
      if (!isAsked(name)) continue;
      try {
        rows.push(...await within(limitMs, () => work(site, peer)));
      } catch (error) {
        rows.push(broken(name, error));
      }
      await closeBrowsers();
    }
  } finally {
    await within(5000, () => site.close()).catch(() => {/* the process ends anyway */});
  }
  return rows;
}

if (import.meta.main) {
  const rows = await measureAll(optionOf("only")?.split(",") ?? null);
  const input =
    `256³ voxels, 104 labels, 1280 × 800, ${await browserVersion()}; peer: NiiVue 0.69.0`;
  finish("deno task bench viewer", input, rows);
}
