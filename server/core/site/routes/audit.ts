import {
  auditExportQuery,
  auditPage,
  auditQuery,
  auditVerdict,
} from "@/model/schema/site/audit.ts";
import { exportAudit, getAudit, getAuditVerdict } from "@/server/core/site/service/audit/audit.ts";
import { hiddenEvents } from "@/server/core/reading/service/shown_readings.ts";
import { json, readQuery, type Routes } from "@/server/core/http/app.ts";

export const auditRoutes: Routes = (api, services) => {
  api.get("/api/v1/audit", async (context) => {
    const query = readQuery(context.req.raw, auditQuery);
    const without = await hiddenEvents(services, context.var.caller);
    return json(auditPage, await getAudit(services, query, without));
  });
  api.get("/api/v1/audit/verify", async () => {
    return json(auditVerdict, await getAuditVerdict(services));
  });
  api.get("/api/v1/audit/export", async (context) => {
    const query = readQuery(context.req.raw, auditExportQuery);
    const without = await hiddenEvents(services, context.var.caller);
    const pieces = await exportAudit(services, query, without);
    return new Response(ReadableStream.from(pieces).pipeThrough(new TextEncoderStream()), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="audit_${
          new Date().toISOString().slice(0, 10)
        }.csv"`,
        "cache-control": "no-store",
      },
    });
  });
};
