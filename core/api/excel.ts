import { open } from "node:fs/promises";
import { excelJobCreated, excelJobRequest } from "@/model/schema/excel.ts";
import { jobProgress } from "@/model/schema/jobs.ts";
import { AppError } from "@/model/errors.ts";
import { cancelExcel, getExcel, getExcelProgress, startExcel } from "@/core/services/excel.ts";
import { json, noContent, readJson, type Routes } from "@/core/api/app.ts";

const MEDIA_TYPES = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;
const ONE = "/api/v1/patients/excel/:id{[0-9a-f-]{36}}";

/** A file as an answer, read while it is sent. */
async function fileResponse(path: string, headers: Record<string, string>): Promise<Response> {
  const file = await open(path).catch((cause) => {
    throw new AppError("entity.not_found", "Cannot send the export: its file is gone", {}, { cause });
  });
  const { size } = await file.stat();
  return new Response(file.readableWebStream({ autoClose: true }) as unknown as ReadableStream, {
    headers: { ...headers, "content-length": String(size), "cache-control": "no-store" },
  });
}

export const excelRoutes: Routes = (api, services) => {
  api.post("/api/v1/patients/excel", async (context) => {
    const request = await readJson(context.req.raw, excelJobRequest);
    context.set("audited", request.pid_list ?? []);
    return json(excelJobCreated, await startExcel(services, request, context.var.caller), 201);
  });
  api.get(ONE, async (context) => {
    const found = await getExcel(services, context.req.param("id"), context.var.caller);
    if ("progress" in found) return json(jobProgress, found.progress, 202);
    return await fileResponse(found.path, {
      "content-type": MEDIA_TYPES[found.format],
      "content-disposition": `attachment; filename="${found.fileName}"`,
    });
  });
  api.get(`${ONE}/progress`, async (context) => {
    return json(jobProgress, await getExcelProgress(services, context.req.param("id"), context.var.caller));
  });
  api.delete(ONE, async (context) => {
    await cancelExcel(services, context.req.param("id"), context.var.caller);
    return noContent();
  });
};
