import { siteStatus, statusResponse } from "@/model/schema/site/status.ts";
import { getSiteStatus } from "@/core/services/site/site_status.ts";
import { getStatus } from "@/core/services/site/status.ts";
import { json, type Routes } from "@/core/api/app.ts";

export const statusRoutes: Routes = (api, services) => {
  api.get("/api/v1/status", async () => json(statusResponse, await getStatus(services)));
  api.get(
    "/api/v1/status/details",
    async () => json(siteStatus, await getSiteStatus(services)),
  );
};
