import {
  ageQuery,
  ageResponse,
  deletionQuery,
  deletionReason,
  deletionResponse,
  editClaim,
  listCounts,
  patient,
  patientFields,
  patientHistoryResponse,
  patientListResponse,
  patientQuery,
  patientRow,
  patientUpdate,
  patientUpdateResponse,
} from "@/model/schema/studies/patients.ts";
import {
  claimEdit,
  releaseEdit,
  updatePatient,
} from "@/server/core/studies/service/patient_edit.ts";
import {
  deletePatient,
  deletePatients,
  getHistory,
  getListCounts,
  getPatient,
  listPatients,
  mustFindPatient,
  seriesNames,
} from "@/server/core/studies/service/patients.ts";
import { markSeen, withMarks } from "@/server/core/studies/service/study_marks.ts";
import { drawThumbnail } from "@/server/core/analyses/service/files/thumbnail.ts";
import { ageInYears } from "@/model/patient/age.ts";
import {
  json,
  noContent,
  pidOf,
  readJson,
  readQuery,
  type Routes,
} from "@/server/core/http/app.ts";

const ONE = "/api/v1/patients/:pid{[0-9]+}";

const DAY_S = 86_400;

export const patientRoutes: Routes = (api, services) => {
  api.get("/api/v1/worklist/counts", async (context) => {
    return json(listCounts, await getListCounts(services, context.var.caller));
  });
  api.get("/api/v1/patients", async (context) => {
    const query = readQuery(context.req.raw, patientQuery);
    return json(patientListResponse, await listPatients(services, query, context.var.caller));
  });
  api.delete("/api/v1/patients", async (context) => {
    const { pid_list, reason = null, edited_list } = readQuery(context.req.raw, deletionQuery);
    context.set("audited", pid_list);
    return json(
      deletionResponse,
      await deletePatients(services, pid_list, context.var.caller, { reason, edited: edited_list }),
    );
  });
  api.get(ONE, async (context) => {
    const { req } = context, pid = pidOf(req.param("pid"));
    if (readQuery(req.raw, patientFields).fields === "row") {
      // an open worklist requests a row after every change; this is not audited as viewing a study
      context.set("auditAs", "worklist.view");
      const { row } = await mustFindPatient(services.db, pid);
      return json(patientRow, (await withMarks(services, [row], context.var.caller))[0]!);
    }
    context.set("auditDetails", { series: await seriesNames(services.db, pid) });
    const opened = await getPatient(services, pid, context.var.caller.uid);
    await markSeen(services, pid, context.var.caller);
    return json(patient, opened);
  });
  api.put(ONE, async (context) => {
    const pid = pidOf(context.req.param("pid")),
      update = await readJson(context.req.raw, patientUpdate);
    return json(
      patientUpdateResponse,
      await updatePatient(services, pid, update, context.var.caller),
    );
  });
  api.delete(ONE, async (context) => {
    const { reason = null } = readQuery(context.req.raw, deletionReason);
    await deletePatient(services, pidOf(context.req.param("pid")), context.var.caller, { reason });
    return noContent();
  });
  api.get(`${ONE}/history`, async (context) => {
    const { history } = await getHistory(services, pidOf(context.req.param("pid")));
    return json(patientHistoryResponse, {
      history: await withMarks(services, history, context.var.caller),
    });
  });
  api.get(`${ONE}/thumbnail`, async (context) => {
    const { req } = context, pid = pidOf(req.param("pid"));
    const picture = await drawThumbnail(services, pid);
    if (picture === null) return noContent();
    // a thumbnail's URL with `v` changes with the analysis, so browsers may cache it
    const isNamed = new URL(req.url).searchParams.has("v");
    return new Response(picture, {
      headers: {
        "content-type": "image/png",
        "cache-control": isNamed ? `private, max-age=${DAY_S}, immutable` : "private, no-cache",
      },
    });
  });
  api.post(`${ONE}/editing`, async (context) => {
    const pid = pidOf(context.req.param("pid"));
    return json(editClaim, await claimEdit(services, pid, context.var.caller));
  });
  api.delete(`${ONE}/editing`, async (context) => {
    await releaseEdit(services, pidOf(context.req.param("pid")), context.var.caller);
    return noContent();
  });
  api.get("/api/v1/utils/age", ({ req }) => {
    const { from_date, to_date } = readQuery(req.raw, ageQuery);
    return json(ageResponse, { age: ageInYears(from_date, to_date) ?? 0 });
  });
};
