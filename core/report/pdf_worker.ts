/// <reference lib="deno.worker" />
// Makes reports one after the other; laying one out takes longer than anybody else may wait for an answer.
import { type Pictures, renderPdf } from "@/core/report/pdf.ts";
import type { ReportResponse } from "@/model/schema/report.ts";

export interface PdfRequest {
  id: number;
  report: ReportResponse;
  pictures: Pictures;
}

export type PdfAnswer = { id: number; bytes: Uint8Array<ArrayBuffer> } | { id: number; message: string };

let last = Promise.resolve();

self.onmessage = ({ data: { id, report, pictures } }: MessageEvent<PdfRequest>) => {
  last = last.then(async () => {
    try {
      const bytes = await renderPdf(report, pictures);
      self.postMessage({ id, bytes } satisfies PdfAnswer, [bytes.buffer]);
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      self.postMessage({ id, message } satisfies PdfAnswer);
    }
  });
};
