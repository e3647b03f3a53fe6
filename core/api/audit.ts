import type { MiddlewareHandler } from "hono";
import { AppError } from "@/model/errors.ts";
import { auditPage, auditQuery, auditVerdict } from "@/model/schema/audit.ts";
import { appendAudit, exportAudit, getAudit, getAuditVerdict } from "@/core/services/audit/audit.ts";
import type { ServiceContext } from "@/core/services/context.ts";
import { addressOf, type ApiEnv, json, readQuery, type Routes } from "@/core/api/app.ts";

const ONE = "/api/v1/patients/:pid{[0-9]+}";

/**
 * Calls that leave an entry, by method and route. Sign-in and sign-out write their own: only they know whose they are.
 */
const AUDITED: Record<string, string> = {
  "POST /api/v1/patients": "study.upload",
  [`GET ${ONE}`]: "study.view",
  [`PUT ${ONE}`]: "study.update",
  [`PUT ${ONE}/mta`]: "study.update",
  [`DELETE ${ONE}`]: "study.delete",
  "DELETE /api/v1/patients": "study.delete",
  "POST /api/v1/analyses": "analysis.start",
  [`POST ${ONE}/reanalyses`]: "analysis.start",
  "POST /api/v1/patients/excel": "export.start",
  "GET /api/v1/patients/excel/:id{[0-9a-f-]{36}}": "export.download",
  [`GET ${ONE}/report`]: "report.view",
  [`GET ${ONE}/report/pdf`]: "report.print",
  [`GET ${ONE}/dicom/results`]: "dicom.export",
  [`GET ${ONE}/dicom/:kind{report|measurements|regions|lesions}`]: "dicom.export",
  [`GET ${ONE}/dicom/deidentified`]: "dicom.deidentify",
  "POST /api/v1/patients/reports/pdf": "report.print",
  "GET /api/v1/patients/reports/pdf": "report.print",
  "GET /api/v1/patients/reports/pdf/:id{[0-9a-f-]{36}}": "report.download",
  "POST /api/v1/norms/controls": "control.mark",
  "DELETE /api/v1/norms/controls/:pid{[0-9]+}": "control.unmark",
  "POST /api/v1/norms": "norm.propose",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/acceptance": "norm.accept",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/revocation": "norm.revoke",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/application": "norm.apply",
  "PUT /api/v1/labels": "label.save",
  "PUT /api/v1/settings": "settings.update",
  "PUT /api/v1/settings/mypage": "settings.update",
  "PUT /vuuc/api/user": "password.change",
  "GET /api/v1/audit": "audit.view",
  "GET /api/v1/audit/export": "audit.export",
  "GET /api/v1/audit/verify": "audit.verify",
};

/**
 * Writes the audit entry of a call after it was answered and before the answer leaves: with one entry for each study
 * the call concerns (`audited` of the request, else the number in its address). Stands after the check of the token:
 * a call of nobody leaves none.
 */
export const audited = ({ db, log }: ServiceContext): MiddlewareHandler<ApiEnv> => async (context, next) => {
  await next();
  const { req, res, error, var: { caller, requestId, audited: pids, auditDetails } } = context;
  const event = AUDITED[`${req.method} ${req.routePath}`];
  // 202: still under way
  if (event === undefined || caller === undefined || res.status === 202 || pids === "nothing") return;
  // a number that the database cannot give back would make the log unreadable
  const studies = (pids ?? [Number(req.param("pid"))]).filter((pid) => pid > 0 && Number.isSafeInteger(pid));
  const entry = {
    event,
    userId: caller.uid,
    address: addressOf(req.raw),
    outcome: res.ok ? "ok" : error instanceof AppError ? error.code : "internal",
    requestId,
    ...auditDetails ? { details: auditDetails } : {},
  };
  // a full disk must not keep physicians from the studies that are there: then the program's log has the entry
  await appendAudit(db, entry, studies).catch((failure) =>
    log("error", "Cannot write the audit entry", {
      ...entry,
      details: "",
      pids: studies.join(),
      error: String(failure),
    })
  );
};

export const auditRoutes: Routes = (api, services) => {
  api.get("/api/v1/audit", async (context) => {
    const query = readQuery(context.req.raw, auditQuery);
    return json(auditPage, await getAudit(services, query, context.var.caller));
  });
  api.get("/api/v1/audit/verify", async (context) => {
    const { count, hash, broken } = await getAuditVerdict(services, context.var.caller);
    return json(auditVerdict, { count, hash, broken });
  });
  api.get("/api/v1/audit/export", async (context) => {
    const query = readQuery(context.req.raw, auditQuery);
    const pieces = await exportAudit(services, query, context.var.caller);
    return new Response(ReadableStream.from(pieces).pipeThrough(new TextEncoderStream()), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="audit_${new Date().toISOString().slice(0, 10)}.csv"`,
        "cache-control": "no-store",
      },
    });
  });
};
