import { AppError } from "@/model/errors.ts";
import { MAX_TABLE_LENGTH } from "@/model/norms/imported/cells.ts";
import {
  changesQuery,
  controlsMarked,
  controlsPost,
  normApplied,
  normChanges,
  normCreated,
  normPost,
  normsResponse,
  normSummary,
  scannerQuery,
} from "@/model/schema/report/norms.ts";
import { markControls, unmarkControl } from "@/server/core/norms/service/controls.ts";
import { applyNorm, listChanges } from "@/server/core/norms/service/local_norm_changes.ts";
import {
  acceptNorm,
  getNorms,
  getSummary,
  proposeNorm,
  revokeNorm,
} from "@/server/core/norms/service/local_norms.ts";
import {
  MAX_ROUTINE_FILE_BYTES,
  routineDetails,
  routineFile,
  routineGroups,
  routineImported,
} from "@/model/schema/report/routine_norms.ts";
import { normTable, normTablePost } from "@/model/schema/report/norm_tables.ts";
import { getTable, proposeTable } from "@/server/core/norms/service/norm_tables.ts";
import {
  driftDetails,
  driftGroups,
  restartAgreement,
  restartPost,
} from "@/model/schema/report/drift.ts";
import {
  agreeToRestart,
  computeDrift,
  getDrift,
  getDriftDetails,
  startAgain,
  withdrawRestart,
} from "@/server/core/norms/service/charts/drift.ts";
import {
  computeRoutine,
  exportRoutine,
  getRoutine,
  getRoutineDetails,
  importRoutine,
  proposeRoutine,
  removePools,
} from "@/server/core/norms/service/routine_norms.ts";
import {
  json,
  noContent,
  pidOf,
  readJson,
  readQuery,
  type Routes,
} from "@/server/core/http/app.ts";

const ONE = "/api/v1/norms/:id{[0-9]{1,15}}";
const ROUTINE = "/api/v1/norms/routine", ROUTINE_ONE = `${ROUTINE}/:id{[0-9]{1,15}}`;
const DRIFT = "/api/v1/norms/drift", DRIFT_ONE = `${DRIFT}/:id{[0-9]{1,15}}`;
const TABLES = "/api/v1/norms/tables";
/** JSON escapes a character with up to six bytes, so the body may be six times the table. */
const MAX_TABLE_BODY = 6 * MAX_TABLE_LENGTH + 1024;
const idOf = (text: string | undefined): number => {
  const id = Number(text);
  if (!(id > 0)) {
    throw new AppError("entity.not_found", "Cannot find the local norms: no such number");
  }
  return id;
};

/** Routes of controls and local norms, for administrators. */
export const normRoutes: Routes = (api, services) => {
  api.get(
    "/api/v1/norms",
    async ({ var: { caller } }) => json(normsResponse, await getNorms(services, caller)),
  );
  api.get("/api/v1/norms/summary", async ({ req, var: { caller } }) => {
    const { scanner } = readQuery(req.raw, scannerQuery);
    return json(normSummary, await getSummary(services, scanner ?? null, caller));
  });
  api.post("/api/v1/norms/controls", async (context) => {
    const post = await readJson(context.req.raw, controlsPost);
    context.set("audited", post.pid_list ?? []);
    const answer = await markControls(services, post, context.var.caller);
    context.set("audited", answer.marked);
    return json(controlsMarked, answer);
  });
  api.delete("/api/v1/norms/controls/:pid{[0-9]+}", async (context) => {
    await unmarkControl(services, pidOf(context.req.param("pid")), context.var.caller);
    return noContent();
  });
  api.post("/api/v1/norms", async (context) => {
    const { scanner } = await readJson(context.req.raw, normPost);
    context.set("auditDetails", { scanner: scanner ?? "" });
    const created = await proposeNorm(services, scanner, context.var.caller);
    context.set("auditDetails", { norm: created.id, scanner: scanner ?? "" });
    return json(normCreated, created, 201);
  });
  api.post(`${ONE}/acceptance`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { norm: id });
    await acceptNorm(services, id, context.var.caller);
    return noContent();
  });
  api.post(`${ONE}/revocation`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { norm: id });
    context.set("audited", await revokeNorm(services, id, context.var.caller));
    return noContent();
  });
  api.get(`${ONE}/changes`, async ({ req, var: { caller } }) => {
    const { after } = readQuery(req.raw, changesQuery);
    return json(normChanges, await listChanges(services, idOf(req.param("id")), after, caller));
  });
  api.post(`${ONE}/application`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { norm: id });
    const pids = await applyNorm(services, id, context.var.caller);
    context.set("audited", pids);
    return json(normApplied, { studies: pids.length });
  });
};

/** Routes of imported norms, for administrators. */
export const normTableRoutes: Routes = (api, services) => {
  api.post("/api/v1/norms/tables", async (context) => {
    const { content } = await readJson(context.req.raw, normTablePost, MAX_TABLE_BODY);
    const { id, title } = await proposeTable(services, content, context.var.caller);
    context.set("auditDetails", { norm: id, title });
    return json(normCreated, { id }, 201);
  });
  api.get(`${TABLES}/:id{[0-9]{1,15}}`, async ({ req, var: { caller } }) => {
    return json(normTable, await getTable(services, idOf(req.param("id")), caller));
  });
};

/** Routes of norms from routine studies, for administrators. */
export const routineNormRoutes: Routes = (api, services) => {
  api.get(
    ROUTINE,
    async ({ var: { caller } }) => json(routineGroups, await getRoutine(services, caller)),
  );
  api.post(`${ROUTINE}/computation`, async ({ var: { caller } }) => {
    await computeRoutine(services, caller);
    return noContent();
  });
  api.get(ROUTINE_ONE, async ({ req, var: { caller } }) => {
    const details = await getRoutineDetails(services, idOf(req.param("id")), caller);
    return json(routineDetails, details);
  });
  api.post(`${ROUTINE_ONE}/proposal`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { routine: id });
    const created = await proposeRoutine(services, id, context.var.caller);
    context.set("auditDetails", { routine: id, norm: created.id });
    return json(normCreated, created, 201);
  });
  api.get(`${ROUTINE_ONE}/counts`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { routine: id });
    return json(routineFile, await exportRoutine(services, id, context.var.caller));
  });
  api.post(`${ROUTINE_ONE}/counts`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { routine: id });
    const file = await readJson(context.req.raw, routineFile, MAX_ROUTINE_FILE_BYTES);
    const studies = await importRoutine(services, id, file, context.var.caller);
    context.set("auditDetails", { routine: id, site: file.site, studies });
    return json(routineImported, { studies });
  });
  api.delete(`${ROUTINE_ONE}/counts`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { routine: id });
    await removePools(services, id, context.var.caller);
    return noContent();
  });
};

/** Routes of the scanners' control charts, for administrators. */
export const driftRoutes: Routes = (api, services) => {
  api.get(
    DRIFT,
    async ({ var: { caller } }) => json(driftGroups, await getDrift(services, caller)),
  );
  api.post(`${DRIFT}/computation`, async ({ var: { caller } }) => {
    await computeDrift(services, caller);
    return noContent();
  });
  api.get(DRIFT_ONE, async ({ req, var: { caller } }) => {
    const details = await getDriftDetails(services, idOf(req.param("id")), caller);
    return json(driftDetails, details);
  });
  api.post(`${DRIFT_ONE}/restart`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { charts: id });
    const post = await readJson(context.req.raw, restartPost);
    await startAgain(services, id, post, context.var.caller);
    return noContent();
  });
  api.post(`${DRIFT_ONE}/restart/agreement`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { charts: id });
    const seen = await readJson(context.req.raw, restartAgreement);
    await agreeToRestart(services, id, seen, context.var.caller);
    return noContent();
  });
  api.post(`${DRIFT_ONE}/restart/withdrawal`, async (context) => {
    const id = idOf(context.req.param("id"));
    context.set("auditDetails", { charts: id });
    await withdrawRestart(services, id, context.var.caller);
    return noContent();
  });
};
