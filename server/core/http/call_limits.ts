import { DICOM_KIND_PATTERN } from "@/model/schema/report/dicom.ts";
import type { MiddlewareHandler } from "hono";
import { AppError } from "@/model/errors.ts";
import { CallLimit, CALLS_PER_MINUTE } from "@/server/core/site/service/call_limit.ts";
import type { ApiEnv, Routes } from "@/server/core/http/app.ts";

const PATIENTS = "/api/v1/patients", ONE = `${PATIENTS}/:pid{[0-9]+}`;

type Call = readonly [method: "GET" | "POST", path: string];

/** Calls, by route, that keep the site busy after the response, or read much data at once. */
const EXPENSIVE_CALLS: readonly Call[] = [
  ["POST", "/api/v1/analyses"],
  ["POST", `${ONE}/reanalyses`],
  ["POST", `${PATIENTS}/excel`],
  ["GET", "/api/v1/registry-exports"],
  ["POST", "/api/v1/registry-exports"],
  ["POST", `${PATIENTS}/reports/pdf`],
  ["GET", `${PATIENTS}/reports/pdf`],
  ["GET", `${ONE}/report/pdf`],
  ["GET", `${ONE}/dicom/results`],
  ["GET", `${ONE}/dicom/deidentified`],
  ["GET", `${ONE}/dicom/:kind{${DICOM_KIND_PATTERN}}`],
  ["GET", "/api/v1/audit/verify"],
  ["GET", "/api/v1/audit/export"],
];

/**
 * Viewer files and links of other systems: about forty per study, thirty of them parts of images.
 * The limit is far above the number of studies that a reader can open in a minute.
 */
const FILES: readonly Call[] = [
  ["POST", "/api/v1/launch"],
  ["POST", "/api/v1/context/follow"],
  ["POST", "/api/v1/context/shown"],
  ["GET", `${ONE}/volume`],
  ["GET", `${PATIENTS}/image/viewer/:pid`],
  ["GET", "/api/v1/secure/:file{(?:verts|faces|normals|values)\\.npy}"],
];
const FILES_PER_CALL = 10;
/**
 * Calls of other systems. Searches, metadata, rendered images and FHIR count as files.
 * Viewers read and store objects and frames one by one, up to a thousand per study.
 */
const SYSTEM_CALLS = ["/api/v1/dicomweb/*", "/api/v1/fhir/*"];
const OBJECTS_PER_CALL = 50, OBJECT = /\/(frames|bulkdata|instances)\/[\w.,]+$|\/dicomweb\/wado$/;

const limited = (limit: CallLimit): MiddlewareHandler<ApiEnv> => async (context, next) => {
  const { seconds, isFirst } = limit.take(context.var.caller.uid);
  if (seconds > 0) {
    // a series of refusals leaves a single audit entry, so that refusals cannot fill the log
    if (!isFirst) context.set("audited", "nothing");
    throw new AppError("call.too_often", "Cannot answer: too many calls in a minute", { seconds });
  }
  await next();
};

/** Limits the calls per user and minute. Added before the routes of these calls. */
export const callLimits: Routes = (api, { callsPerMinute = CALLS_PER_MINUTE }) => {
  const groups = [[EXPENSIVE_CALLS, callsPerMinute], [
    FILES,
    callsPerMinute * FILES_PER_CALL,
  ]] as const;
  for (const [calls, perMinute] of groups) {
    const limit = limited(new CallLimit(perMinute));
    for (const [method, path] of calls) api.on(method, path, limit);
  }
  const ofFiles = limited(new CallLimit(callsPerMinute * FILES_PER_CALL));
  const ofObjects = limited(new CallLimit(callsPerMinute * OBJECTS_PER_CALL));
  for (const path of SYSTEM_CALLS) {
    api.use(path, async (context, next) => {
      const isObject = context.req.method === "POST" || OBJECT.test(context.req.path);
      await (isObject ? ofObjects : ofFiles)(context, next);
    });
  }
};
