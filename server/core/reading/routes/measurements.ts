import { AppError } from "@/model/errors.ts";
import {
  measurementCreated,
  measurementList,
  measurementPost,
  measurementPut,
} from "@/model/schema/reading/measurements.ts";
import {
  addMeasurement,
  changeMeasurement,
  getMeasurements,
  removeMeasurement,
} from "@/server/core/reading/service/measurements.ts";
import { json, noContent, pidOf, readJson, type Routes } from "@/server/core/http/app.ts";

const ALL = "/api/v1/patients/:pid{[0-9]+}/measurements", ONE = `${ALL}/:measurement{[0-9]{1,15}}`;

/** Parses an id in a request's URL. @throws {AppError} `entity.not_found`. */
export function numberOf(text: string | undefined): number {
  const id = Number(text);
  if (!(id > 0)) {
    throw new AppError("entity.not_found", "Cannot find what is asked for: no such number");
  }
  return id;
}

/** Routes of the distances, angles and other measurements that readers draw on images. */
export const measurementRoutes: Routes = (api, services) => {
  api.get(ALL, async ({ req, var: { caller } }) => {
    return json(measurementList, await getMeasurements(services, pidOf(req.param("pid")), caller));
  });
  api.post(ALL, async (context) => {
    const { req, var: { caller } } = context, pid = pidOf(req.param("pid"));
    const post = await readJson(req.raw, measurementPost);
    const id = await addMeasurement(services, pid, post, caller);
    context.set("auditDetails", { measurement: id, kind: post.kind });
    return json(measurementCreated, { id }, 201);
  });
  api.put(ONE, async (context) => {
    const { req, var: { caller } } = context, id = numberOf(req.param("measurement"));
    const put = await readJson(req.raw, measurementPut);
    const moved: Record<string, number> = put.moved ? { moved: 1 } : {};
    context.set("auditDetails", { measurement: id, in_report: put.is_in_report ? 1 : 0, ...moved });
    await changeMeasurement(services, pidOf(req.param("pid")), id, put, caller);
    return noContent();
  });
  api.delete(ONE, async (context) => {
    const { req, var: { caller } } = context, id = numberOf(req.param("measurement"));
    context.set("auditDetails", { measurement: id });
    await removeMeasurement(services, pidOf(req.param("pid")), id, caller);
    return noContent();
  });
};
