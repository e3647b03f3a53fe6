// Files as selected in the browser, and a function that sends them to a core.
import { uploadResponse } from "@/model/schema/studies/upload.ts";
import { type FoundFile, groupStudies } from "@/model/worklist/upload_study.ts";
import { type Api, callJson } from "@/client/api/http.ts";
import type { ChosenFile } from "@/client/dicom_scan/file_selection.ts";
import { scanFile } from "@/client/dicom_scan/scan.ts";
import { requestOfPart, type SendPart } from "@/components/worklist/upload/upload_study.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

/** Files of a patient in a folder with characters that are escaped in requests. */
export const filesOf = (id: string): ChosenFile[] =>
  phantomSeries("short", id).map(({ fileName, bytes }) => (
    { path: `"${id}" 100%22/${fileName}`, file: new File([bytes], fileName) }
  ));

/** Studies that the page finds in the files. */
export async function studiesOf(chosen: ChosenFile[]) {
  const results = await Promise.all(
    chosen.map(({ file }, index) => scanFile({ index, file, isNamed: true })),
  );
  const found = results.flatMap((result): FoundFile[] => {
    return "tags" in result ? [{ ...result, path: chosen[result.index]!.path }] : [];
  });
  return groupStudies(found).studies;
}

/** Sends parts of an upload as the page does, but by `fetch`, without progress. */
export const sendOver = (api: Api): SendPart => async (part, { signal, onProgress }) => {
  const { path, query, body } = requestOfPart(part);
  const answer = await callJson(api, uploadResponse, path, { method: "POST", query, body, signal });
  onProgress(part.files.reduce((sum, { file }) => sum + file.size, 0));
  return answer;
};
