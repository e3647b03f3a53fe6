// Memory of an open viewer, and memory that repeated opening leaves behind.
import { memoryMb, newPage, softwareGl } from "@/bench/viewer/browser.ts";
import { leaveViewer, openViewer, prepare } from "@/bench/viewer/ours.ts";
import type { PeerFigures } from "@/bench/viewer/peer.ts";
import { against, figure } from "@/bench/viewer/rows.ts";
import { type BenchSite, PATIENT_256 } from "@/bench/viewer/site.ts";
import type { Row } from "@/bench/record.ts";

const VISITS = 20;

export async function memoryRows(site: BenchSite, peer: PeerFigures | null): Promise<Row[]> {
  const browser = await softwareGl();
  try {
    const page = await newPage(browser);
    const blank = await memoryMb(browser, page);
    await prepare(page, site.origin);
    await openViewer(page, site.origin, PATIENT_256);
    const first = await memoryMb(browser, page) - blank;
    const name = "memory over a blank page (PSS of renderer and GPU process)";
    const rows = [
      peer ? against(name, first, peer.memoryMb, "MB", 0.35) : figure(name, first, "MB"),
    ];
    for (let visit = 0; visit < VISITS; visit++) {
      await leaveViewer(page, site.origin);
      await openViewer(page, site.origin, PATIENT_256);
    }
    const last = await memoryMb(browser, page) - blank;
    rows.push(against(`the same after ${VISITS} times left and opened`, last, first, "MB", 1.05));
    return rows;
  } finally {
    await browser.close();
  }
}
