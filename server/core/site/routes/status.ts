import { siteStatus, statusResponse } from "@/model/schema/site/status.ts";
import { getSiteStatus } from "@/server/core/site/service/site_status.ts";
import { getStatus } from "@/server/core/site/service/status.ts";
import { json, type Routes } from "@/server/core/http/app.ts";

export const statusRoutes: Routes = (api, services) => {
  api.get("/api/v1/status", async () => json(statusResponse, await getStatus(services)));
  api.get(
    "/api/v1/status/details",
    async () => json(siteStatus, await getSiteStatus(services)),
  );
};
