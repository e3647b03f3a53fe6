import type { DeidentifyQuery, DicomKind } from "@/model/schema/report/dicom.ts";
import type { ReportFilter } from "@/model/schema/report/report.ts";
import { type Api, call } from "@/client/api/http.ts";

/** URL path of one result as DICOM, or of all results as a ZIP. */
export function dicomPath(
  pid: number,
  what: DicomKind | "results",
  filter: ReportFilter = {},
): string {
  const query = new URLSearchParams(
    Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
  return `/api/v1/patients/${pid}/dicom/${what}${query ? `?${query}` : ""}`;
}

/** URL path of a ZIP with the de-identified images of a study. */
export const deidentifiedPath = (pid: number, { dates }: DeidentifyQuery): string =>
  `/api/v1/patients/${pid}/dicom/deidentified?dates=${dates}`;

/** @throws {AppError} `study.not_analyzed`, `study.deleted`, `entity.not_found`. */
export const getDicom = (
  api: Api,
  pid: number,
  what: DicomKind | "results",
  filter: ReportFilter = {},
): Promise<Response> => call(api, dicomPath(pid, what, filter));

/** @throws {AppError} `study.deleted`, `entity.not_found`. */
export const getDeidentified = (api: Api, pid: number, query: DeidentifyQuery): Promise<Response> =>
  call(api, deidentifiedPath(pid, query));

/**
 * Checks whether the de-identified images are available, without downloading them.
 * @throws {AppError} as {@link getDeidentified}.
 */
export async function checkDeidentified(
  api: Api,
  pid: number,
  query: DeidentifyQuery,
): Promise<void> {
  await call(api, deidentifiedPath(pid, query), { method: "HEAD" });
}
