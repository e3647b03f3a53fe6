import type { ExcelJobRequest } from "@/model/schema/excel.ts";
import { cancelExcel, getExcelProgress, startExcel } from "@/client/api/excel.ts";
import { browserApi } from "@/client/browser_api.ts";
import { awaitGeneratedFile, type GeneratedFile } from "@/client/files/generated_file.ts";

/**
 * Has the server make a table of studies.
 *
 * @param onPercent 0..100, now and then.
 * @throws {AppError} `job.failed`, `job.canceled`, `storage.full`; an abort cancels the export and is thrown as it is.
 */
export async function exportStudies(
  request: ExcelJobRequest,
  options: { signal: AbortSignal; onPercent: (percent: number) => void },
): Promise<GeneratedFile> {
  const { excel_id: id } = await startExcel(browserApi, request);
  return await awaitGeneratedFile({
    path: `/api/v1/patients/excel/${id}`,
    progress: () => getExcelProgress(browserApi, id),
    cancel: () => cancelExcel(browserApi, id),
    progressOf: (event) => event.event === "excel" && event.excel_id === id ? event : null,
  }, options);
}
