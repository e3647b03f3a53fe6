import { statusResponse } from "@/model/schema/status.ts";
import { getStatus } from "@/core/services/status.ts";
import { json, type Routes } from "@/core/api/app.ts";

export const statusRoutes: Routes = (api, services) => {
  api.get("/api/v1/status", async () => json(statusResponse, await getStatus(services)));
};
