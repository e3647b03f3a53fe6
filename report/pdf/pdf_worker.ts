/// <reference lib="deno.worker" />
// Worker that renders pictures and reports one after another.
// On the main thread, rendering would block other requests too long.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Pictures } from "@/report/pdf/pdf.ts";
import {
  drawStudy,
  type StudyPictures,
  type StudyVolumes,
  voxelBuffersOf,
} from "@/report/pdf/study_pictures.ts";
import type { PageImage } from "@/report/pdf/page_image.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";

/** A task for the worker; voxel buffers are transferred, not copied. */
export type RendererTask =
  | { kind: "draw"; volumes: StudyVolumes }
  | { kind: "render"; report: ReportResponse; pictures: Pictures }
  | { kind: "page"; pdf: Uint8Array; at: number };

/** Result of the worker for each kind of task. */
export interface RendererResults {
  draw: StudyPictures;
  render: Uint8Array<ArrayBuffer>;
  page: PageImage;
}

export type RendererAnswer =
  | { id: number; result: RendererResults[keyof RendererResults] }
  // message with the slice positions, sent before the result of "draw"
  | { id: number; placed: StudyPictures["positionMm"] }
  | { id: number; message: string };

/**
 * Forces garbage collection. Otherwise objects of a dozen reports accumulate:
 * a file of fifty reports would then need 1 GB of memory.
 */
const collect: () => void = (() => {
  setFlagsFromString("--expose-gc");
  const gc: () => void = runInNewContext("gc");
  // the flag is cleared again, so that contexts created later do not have the function `gc`
  setFlagsFromString("--no-expose-gc");
  return gc;
})();

async function make(
  id: number,
  task: RendererTask,
): Promise<RendererResults[keyof RendererResults]> {
  if (task.kind === "draw") {
    const drawn = drawStudy(
      task.volumes,
      (placed) => self.postMessage({ id, placed } satisfies RendererAnswer),
    );
    // without this call the collector would wait until buffers of many reports have accumulated
    for (const buffer of voxelBuffersOf(task.volumes)) buffer.transfer(0);
    return drawn;
  }
  if (task.kind === "page") {
    const { pageImage } = await import("@/report/pdf/page_image.ts");
    return await pageImage(task.pdf, task.at);
  }
  // not imported for picture tasks, because loading fonts takes time and memory
  const { renderPdf } = await import("@/report/pdf/pdf.ts");
  return await renderPdf(task.report, task.pictures);
}

let last = Promise.resolve();

self.onmessage = ({ data: { id, ...task } }: MessageEvent<{ id: number } & RendererTask>) => {
  last = last.then(async () => {
    try {
      const result = await make(id, task);
      const buffers = result instanceof Uint8Array
        ? [result.buffer]
        : "rgb" in result
        ? [result.rgb.buffer]
        : Object.values(result.pictures).map(({ buffer }) => buffer);
      self.postMessage({ id, result } satisfies RendererAnswer, buffers);
      if (task.kind === "render") collect();
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      self.postMessage({ id, message } satisfies RendererAnswer);
    }
  });
};
