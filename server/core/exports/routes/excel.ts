import {
  excelEstimate,
  excelJobCreated,
  excelJobRequest,
  exportSets,
} from "@/model/schema/report/excel.ts";
import { jobProgress } from "@/model/schema/site/jobs.ts";
import { estimateExcel, pidsOfTable, startExcel } from "@/server/core/exports/service/excel.ts";
import {
  cancelExport,
  getExport,
  getExportProgress,
} from "@/server/core/exports/service/exports.ts";
import { getExportSets, saveExportSets } from "@/server/core/studies/service/list_view.ts";
import { json, noContent, readJson, type Routes } from "@/server/core/http/app.ts";
import { exportResponse, MEDIA_TYPES } from "@/server/core/exports/routes/exports.ts";

const ONE = "/api/v1/patients/excel/:id{[0-9a-f-]{36}}";

export const excelRoutes: Routes = (api, services) => {
  api.post("/api/v1/patients/excel", async (context) => {
    const request = await readJson(context.req.raw, excelJobRequest);
    context.set("audited", request.pid_list ?? []);
    return json(excelJobCreated, await startExcel(services, request, context.var.caller), 201);
  });
  api.post("/api/v1/patients/excel/estimate", async (context) => {
    const request = await readJson(context.req.raw, excelJobRequest);
    return json(excelEstimate, await estimateExcel(services, request, context.var.caller));
  });
  api.get("/api/v1/worklist/export-sets", async (context) => {
    return json(exportSets, await getExportSets(services, context.var.caller));
  });
  api.put("/api/v1/worklist/export-sets", async (context) => {
    const sets = await readJson(context.req.raw, exportSets);
    return json(exportSets, await saveExportSets(services, sets, context.var.caller));
  });
  api.get(ONE, async (context) => {
    const exported = await getExport(
      services,
      context.req.param("id"),
      "table",
      context.var.caller,
    );
    if ("progress" in exported) return json(jobProgress, exported.progress, 202);
    const { caller } = context.var;
    context.set("shown", () => pidsOfTable(services, exported.exportId, caller));
    return await exportResponse(services, exported.exportId, {
      "content-type": MEDIA_TYPES[exported.format],
      "content-disposition": `attachment; filename="worklist_${exported.date}.${exported.format}"`,
    });
  });
  api.get(`${ONE}/progress`, async (context) => {
    const id = context.req.param("id");
    return json(jobProgress, await getExportProgress(services, id, "table", context.var.caller));
  });
  api.delete(ONE, async (context) => {
    await cancelExport(services, context.req.param("id"), "table", context.var.caller);
    return noContent();
  });
};
