import {
  aboutLicense,
  aboutManual,
  aboutManualText,
  aboutQuery,
  aboutTerms,
} from "@/model/schema/site/about.ts";
import {
  getManual,
  getManualFile,
  getManualText,
  getOpenSource,
  getTerms,
} from "@/server/core/site/service/about.ts";
import { json, readQuery, type Routes } from "@/server/core/http/app.ts";
import { contentDisposition } from "@/server/core/reports/routes/report.ts";

export const aboutRoutes: Routes = (api, services) => {
  const languageOf = (request: Request) => readQuery(request, aboutQuery).language ?? "en";
  api.get("/api/v1/about/manual", async () => json(aboutManual, await getManual(services)));
  api.get("/api/v1/about/manual/file", async ({ req }) => {
    const { bytes, fileName } = await getManualFile(services, languageOf(req.raw));
    return new Response(bytes, {
      headers: {
        "content-type": "application/pdf",
        "content-length": String(bytes.length),
        "content-disposition": contentDisposition(fileName),
        "cache-control": "no-store",
      },
    });
  });
  api.get(
    "/api/v1/about/manual/text",
    async ({ req }) => json(aboutManualText, await getManualText(languageOf(req.raw))),
  );
  api.get(
    "/api/v1/about/terms",
    async ({ req }) => json(aboutTerms, await getTerms(languageOf(req.raw))),
  );
  api.get("/api/v1/about/license", async () => json(aboutLicense, await getOpenSource()));
};
