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
 * Correction strokes over the label maps of a study, in the order of drawing.
 * @throws {AppError} `study.deleted`.
 */
export const listStrokes = (api: Api, pid: number, signal?: AbortSignal): Promise<StrokeList> =>
  callJson(api, strokeList, pathOf(pid), { signal });

/**
 * Corrects a label map; the correction is stored before the response.
 * @throws {AppError} `input.invalid`, `study.not_analyzed`.
 */
export const addStroke = (api: Api, pid: number, post: StrokePost): Promise<Corrected> =>
  callJson(api, corrected, pathOf(pid), { method: "POST", json: post });

/**
 * Undoes the last stroke, redoes a stroke, or restores the original label map.
 * In the response, `stroke_id` is null if there was no stroke to undo or redo.
 */
export const changeStrokes = (
  api: Api,
  pid: number,
  series: StrokePost["series"],
  change: "undo" | "redo" | "restore",
): Promise<Corrected> =>
  callJson(api, corrected, `${pathOf(pid)}/${change}`, { method: "POST", json: { series } });
