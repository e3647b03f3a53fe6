import {
  type Corrected,
  corrected,
  type StrokeList,
  strokeList,
  type StrokePost,
} from "@/model/schema/reading/strokes.ts";
import { type Api, callJson } from "@/client/api/http.ts";

const pathOf = (pid: number) => `/api/v1/patients/${pid}/strokes`;

/**
 * Strokes over the label maps of a study, in the order they were made. @throws {AppError}
 * `study.deleted`.
 */
export const listStrokes = (api: Api, pid: number, signal?: AbortSignal): Promise<StrokeList> =>
  callJson(api, strokeList, pathOf(pid), { signal });

/**
 * Corrects a label map: when it is answered, it is kept. @throws {AppError} `input.invalid`,
 * `study.not_analyzed`.
 */
export const addStroke = (api: Api, pid: number, post: StrokePost): Promise<Corrected> =>
  callJson(api, corrected, pathOf(pid), { method: "POST", json: post });

/**
 * Takes the last stroke back, brings it back, or goes back to the original. `stroke_id` null: there
 * was none.
 */
export const changeStrokes = (
  api: Api,
  pid: number,
  series: StrokePost["series"],
  change: "undo" | "redo" | "restore",
): Promise<Corrected> =>
  callJson(api, corrected, `${pathOf(pid)}/${change}`, { method: "POST", json: { series } });
