import { jobProgress } from "@/model/schema/site/jobs.ts";
import {
  reportJobCreated,
  reportJobRequest,
  reportsQuery,
} from "@/model/schema/report/report_job.ts";
import {
  cancelExport,
  getExport,
  getExportProgress,
} from "@/server/core/exports/service/exports.ts";
import { getReportsPdf, startReports } from "@/server/core/reports/service/report_job.ts";
import { markReported } from "@/server/core/studies/service/study_marks.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { json, noContent, readJson, readQuery, type Routes } from "@/server/core/http/app.ts";
import { exportResponse } from "@/server/core/exports/routes/exports.ts";

const ALL = "/api/v1/patients/reports/pdf", ONE = `${ALL}/:id{[0-9a-f-]{36}}`;

const headersOn = (date: string) => ({
  "content-type": "application/pdf",
  "content-disposition": `attachment; filename="reports_${date}.pdf"`,
  "cache-control": "no-store",
});

export const reportJobRoutes: Routes = (api, services) => {
  api.post(ALL, async (context) => {
    const request = await readJson(context.req.raw, reportJobRequest);
    context.set("audited", request.pid_list);
    return json(reportJobCreated, await startReports(services, request, context.var.caller), 201);
  });
  api.get(ALL, async (context) => {
    const { pid_list } = readQuery(context.req.raw, reportsQuery);
    context.set("audited", pid_list);
    const requestedAt = nowIso();
    const pdf = await getReportsPdf(services, pid_list, context.var.caller, context.req.raw.signal);
    await markReported(services, pid_list, requestedAt);
    return new Response(pdf, {
      headers: { ...headersOn(requestedAt.slice(0, 10)), "content-length": String(pdf.size) },
    });
  });
  api.get(ONE, async (context) => {
    const exported = await getExport(
      services,
      context.req.param("id"),
      "reports",
      context.var.caller,
    );
    if ("progress" in exported) return json(jobProgress, exported.progress, 202);
    context.set("shown", exported.pids);
    return await exportResponse(services, exported.exportId, headersOn(exported.date));
  });
  api.get(`${ONE}/progress`, async (context) => {
    const id = context.req.param("id");
    return json(jobProgress, await getExportProgress(services, id, "reports", context.var.caller));
  });
  api.delete(ONE, async (context) => {
    await cancelExport(services, context.req.param("id"), "reports", context.var.caller);
    return noContent();
  });
};
