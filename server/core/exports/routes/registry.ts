import {
  registryCreated,
  registryPreview,
  registryRequest,
} from "@/model/schema/report/registry.ts";
import { jobProgress } from "@/model/schema/site/jobs.ts";
import { previewRegistry, startRegistry } from "@/server/core/exports/service/registry.ts";
import {
  cancelExport,
  getExport,
  getExportProgress,
} from "@/server/core/exports/service/exports.ts";
import { exportResponse, MEDIA_TYPES } from "@/server/core/exports/routes/exports.ts";
import { json, noContent, readJson, type Routes } from "@/server/core/http/app.ts";

const ALL = "/api/v1/registry-exports", ONE = `${ALL}/:id{[0-9a-f-]{36}}`;

/** Routes for de-identified files for research registries; for administrators only. */
export const registryRoutes: Routes = (api, services) => {
  api.get(
    ALL,
    async ({ var: { caller } }) => json(registryPreview, await previewRegistry(services, caller)),
  );
  api.post(ALL, async (context) => {
    const request = await readJson(context.req.raw, registryRequest);
    const { format, figures, has_texts } = request;
    context.set("auditDetails", { format, figures, texts: String(has_texts) });
    return json(registryCreated, await startRegistry(services, request, context.var.caller), 201);
  });
  api.get(ONE, async (context) => {
    const id = context.req.param("id");
    const file = await getExport(services, id, "registry", context.var.caller);
    if ("progress" in file) return json(jobProgress, file.progress, 202);
    return await exportResponse(services, file.exportId, {
      "content-type": MEDIA_TYPES[file.format],
      "content-disposition": `attachment; filename="registry.${file.format}"`,
    });
  });
  api.get(`${ONE}/progress`, async (context) => {
    const id = context.req.param("id");
    return json(jobProgress, await getExportProgress(services, id, "registry", context.var.caller));
  });
  api.delete(ONE, async (context) => {
    await cancelExport(services, context.req.param("id"), "registry", context.var.caller);
    return noContent();
  });
};
