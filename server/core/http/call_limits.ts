import { DICOM_KIND_PATTERN } from "@/model/schema/report/dicom.ts";
import type { MiddlewareHandler } from "hono";
import { AppError } from "@/model/errors.ts";
import { CallLimit, CALLS_PER_MINUTE } from "@/server/core/site/service/call_limit.ts";
import type { ApiEnv, Routes } from "@/server/core/http/app.ts";

const PATIENTS = "/api/v1/patients", ONE = `${PATIENTS}/:pid{[0-9]+}`;

type Call = readonly [method: "GET" | "POST", path: string];

/** Calls, by route, that use much of the server after the response, or read much data at once. */
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
 * Files for the viewer, and links from other systems:
 * about forty calls per study, thirty of them for parts of images.
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
 * Calls by other systems. Searches, metadata, rendered images and FHIR are limited like files.
 * Objects and frames have a higher limit: viewers read them one by one, up to a thousand per study.
 */
const SYSTEM_CALLS = ["/api/v1/dicomweb/*", "/api/v1/fhir/*"];
const OBJECTS_PER_CALL = 50, OBJECT = /\/(frames|bulkdata|instances)\/[\w.,]+$|\/dicomweb\/wado$/;

const limited = (limit: CallLimit): MiddlewareHandler<ApiEnv> => async (context, next) => {
  const { seconds, isFirst } = limit.take(context.var.caller.uid);
  if (seconds > 0) {
    // consecutive refusals leave a single audit entry, so that they cannot fill the log
    if (!isFirst) context.set("audited", "nothing");
    throw new AppError("call.too_often", "Cannot answer: too many calls in a minute", { seconds });
  }
  await next();
};

/**
 * Limits the number of calls per user and minute. Must be added before the routes of these calls.
 */
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
