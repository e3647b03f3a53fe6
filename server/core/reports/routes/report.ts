import {
  imageKey,
  mtaPut,
  reportFilter,
  reportImageQuery,
  reportResponse,
} from "@/model/schema/report/report.ts";
import { getReport, getReportImage, getReportPdf } from "@/server/core/reports/service/report.ts";
import { markReported, markSeen } from "@/server/core/studies/service/study_marks.ts";
import { saveMta } from "@/server/core/reports/service/mta.ts";
import { json, pidOf, readJson, readQuery, type Routes } from "@/server/core/http/app.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { AppError } from "@/model/errors.ts";

const YEAR_S = 31_536_000;

/** Download header with an ASCII file name and the exact file name (RFC 6266, RFC 8187). */
export function contentDisposition(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const exact = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

export const reportRoutes: Routes = (api, services) => {
  api.get("/api/v1/patients/:pid{[0-9]+}/report", async (context) => {
    const filter = readQuery(context.req.raw, reportFilter);
    const pid = pidOf(context.req.param("pid"));
    const report = await getReport(services, pid, filter, context.var.caller);
    await markSeen(services, pid, context.var.caller);
    return json(reportResponse, report);
  });
  api.get("/api/v1/patients/:pid{[0-9]+}/report/pdf", async (context) => {
    const filter = readQuery(context.req.raw, reportFilter);
    const pid = pidOf(context.req.param("pid"));
    const requestedAt = nowIso();
    const { bytes, fileName } = await getReportPdf(services, pid, filter, context.var.caller);
    await markReported(services, [pid], requestedAt);
    return new Response(bytes, {
      headers: {
        "content-type": "application/pdf",
        "content-length": String(bytes.length),
        "content-disposition": contentDisposition(fileName),
        "cache-control": "no-store",
      },
    });
  });
  api.put("/api/v1/patients/:pid{[0-9]+}/mta", async (context) => {
    const pid = pidOf(context.req.param("pid")), put = await readJson(context.req.raw, mtaPut);
    return json(mtaPut, await saveMta(services, pid, put, context.var.caller));
  });
  api.get("/api/v1/patients/:pid{[0-9]+}/report/image/:file", async ({ req }) => {
    const key = imageKey.safeParse(req.param("file").replace(/\.png$/, ""));
    if (!key.success) throw new AppError("entity.not_found", "Cannot find the picture");
    const { v } = readQuery(req.raw, reportImageQuery);
    const png = await getReportImage(services, pidOf(req.param("pid")), key.data, v);
    return new Response(png, {
      headers: {
        "content-type": "image/png",
        "content-length": String(png.length),
        "vary": "authorization",
        // a picture's URL with a version always returns the same bytes
        "cache-control": v !== undefined
          ? `private, max-age=${YEAR_S}, immutable`
          : "private, no-cache",
      },
    });
  });
};
