/// <reference lib="deno.worker" />
// Worker that generates and uploads the server benchmark's studies beside the measuring thread.
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { pageApi } from "@/bench/server/server_site.ts";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import {
  FLAIR_SERIES,
  KOREAN_PATIENT,
  makeSeries,
  T1_SERIES,
} from "@/server/commands/demo/phantom/dicom/series.ts";

export interface UploadRequest {
  url: string;
  cookie: string;
  studies: number;
}
/** `made`: the studies are generated and wait for a message; then the number of stored studies. */
export type UploadNews = { made: true; megabytes: number } | { stored: number };

/** Files of a T1w of 1 mm and a FLAIR of 3 mm, as sent by a scanner. */
function makeStudy(head: ReturnType<typeof makeHead>, patientId: string) {
  const patient = { ...KOREAN_PATIENT, patientId };
  return [T1_SERIES, FLAIR_SERIES].flatMap((series) =>
    makeSeries(head, { ...series, patient }).files.map(({ fileName, bytes }) => ({
      fileName,
      bytes: new Uint8Array(bytes),
    }))
  );
}

const tell = (news: UploadNews) => self.postMessage(news);

self.onmessage = ({ data: { url, cookie, studies } }: MessageEvent<UploadRequest>) => {
  const head = makeHead({ lesionsMl: [2, 1] });
  const made = Array.from({ length: studies }, (_, n) => makeStudy(head, `BENCH-${n + 1}`));
  self.onmessage = async () => {
    const api = pageApi(url, cookie);
    let stored = 0;
    for (const files of made) {
      const { success } = await uploadFiles(api, files);
      if (success !== 1) throw new Error("Cannot measure: an upload was refused");
      tell({ stored: ++stored });
    }
  };
  tell({
    made: true,
    megabytes: made.flat().reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6,
  });
};
