import { openApiDocument } from "@/model/api/openapi.ts";
import { siteStatus, statusResponse } from "@/model/schema/site/status.ts";
import { getSiteStatus } from "@/server/core/site/service/site_status.ts";
import { getStatus, VERSION } from "@/server/core/site/service/status.ts";
import { json, type Routes } from "@/server/core/http/app.ts";

/** OpenAPI document, generated at the first request, which takes some 0.1 s, and then cached. */
let openApi: string | undefined;

export const statusRoutes: Routes = (api, services) => {
  api.get("/api/openapi.json", () => {
    openApi ??= JSON.stringify(openApiDocument(VERSION));
    return new Response(openApi, {
      headers: { "content-type": "application/json", "cache-control": "private, no-cache" },
    });
  });
  api.get("/api/v1/status", async () => json(statusResponse, await getStatus(services)));
  api.get(
    "/api/v1/status/details",
    async () => json(siteStatus, await getSiteStatus(services)),
  );
};
