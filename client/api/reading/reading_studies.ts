import {
  type ReadingAnswer,
  type ReadingFile,
  readingStudyCreated,
  type ReadingStudyDetails,
  readingStudyDetails,
  type ReadingStudyList,
  readingStudyList,
  type ReadingStudyPost,
  type ReadingTask,
  readingTask,
} from "@/model/schema/reading/reading_studies.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const ALL = "/api/v1/reading-studies";

/** Reading studies in which the caller is a reader; an administrator gets all reading studies. */
export const getReadingStudies = (api: Api): Promise<ReadingStudyList> =>
  callJson(api, readingStudyList, ALL);

/** @throws {AppError} `reading_study.no_images`, `reading_study.readers`, `access.forbidden`. */
export const addReadingStudy = async (api: Api, post: ReadingStudyPost): Promise<number> =>
  (await callJson(api, readingStudyCreated, ALL, { method: "POST", json: post })).id;

/** @throws {AppError} `entity.not_found`, `reading_study.blinded`, `access.forbidden`. */
export const getReadingStudy = (api: Api, id: number): Promise<ReadingStudyDetails> =>
  callJson(api, readingStudyDetails, `${ALL}/${id}`);

/** @throws {AppError} `reading_study.begun`, `entity.not_found`, `access.forbidden`. */
export const removeReadingStudy = async (api: Api, id: number): Promise<void> =>
  void await call(api, `${ALL}/${id}`, { method: "DELETE" });

/** URL path of a file with the answers of all finished readings. */
export const readingExportPath = (id: number, format: "csv" | "json"): string =>
  `${ALL}/${id}/export?format=${format}`;

/**
 * The next case that the caller must read.
 * @throws {AppError} `reading_study.washout`, `entity.not_found`.
 */
export const getReadingTask = (api: Api, id: number): Promise<ReadingTask> =>
  callJson(api, readingTask, `${ALL}/${id}/reading`);

/** URL path of an image or label file of the case that the caller must read next. */
export const readingFilePath = (id: number, place: number, file: ReadingFile): string =>
  `${ALL}/${id}/readings/${place}/files/${file}`;

/** @throws {AppError} `reading_study.answered`, `reading_study.not_next`, `input.invalid`. */
export const answerReading = async (
  api: Api,
  { id, place }: { id: number; place: number },
  answer: ReadingAnswer,
): Promise<void> =>
  void await call(api, `${ALL}/${id}/readings/${place}/answer`, { method: "POST", json: answer });
