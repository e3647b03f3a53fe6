import {
  measurementCreated,
  type MeasurementList,
  measurementList,
  type MeasurementPost,
  type MeasurementPut,
} from "@/model/schema/reading/measurements.ts";
import { type Api, call, callJson } from "@/client/api/http.ts";

const pathOf = (pid: number) => `/api/v1/patients/${pid}/measurements`;

/** Measurements of all users on a study. @throws {AppError} `study.deleted`, `entity.not_found`. */
export const listMeasurements = (
  api: Api,
  pid: number,
  signal?: AbortSignal,
): Promise<MeasurementList> => callJson(api, measurementList, pathOf(pid), { signal });

/** Stores a measurement. @returns the id of the measurement. @throws {AppError} `input.invalid`. */
export const addMeasurement = async (
  api: Api,
  pid: number,
  post: MeasurementPost,
): Promise<number> =>
  (await callJson(api, measurementCreated, pathOf(pid), { method: "POST", json: post })).id;

/** @throws {AppError} `entity.not_found`. */
export const changeMeasurement = async (
  api: Api,
  pid: number,
  id: number,
  put: MeasurementPut,
): Promise<void> => void await call(api, `${pathOf(pid)}/${id}`, { method: "PUT", json: put });

/** @throws {AppError} `entity.not_found`, `access.forbidden` for a measurement of another user. */
export const removeMeasurement = async (api: Api, pid: number, id: number): Promise<void> =>
  void await call(api, `${pathOf(pid)}/${id}`, { method: "DELETE" });
