import { type ComparableList, comparableList } from "@/model/schema/reading/comparables.ts";
import { type StudySeriesList, studySeriesList } from "@/model/schema/reading/series.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

/** Every stored series of a study. @throws {AppError} `study.deleted`, `entity.not_found`. */
export const listSeries = (api: Api, pid: number, signal?: AbortSignal): Promise<StudySeriesList> =>
  callJson(api, studySeriesList, `/api/v1/patients/${pid}/series`, { signal });

/**
 * Volume of a series, gzip. @param url `volume_url` of {@link listSeries}.
 * @throws {AppError} `entity.not_found`.
 */
export const getSeriesVolume = (api: Api, url: string, signal?: AbortSignal): Promise<Response> =>
  call(api, url, { signal });

/**
 * Other analysed studies of the patient, the nearest prior study first.
 * @throws {AppError} `study.deleted`.
 */
export const listComparables = (
  api: Api,
  pid: number,
  signal?: AbortSignal,
): Promise<ComparableList> =>
  callJson(api, comparableList, `/api/v1/patients/${pid}/comparables`, { signal });
