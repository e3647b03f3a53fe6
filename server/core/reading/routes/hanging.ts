import { hanging } from "@/model/schema/reading/hanging.ts";
import { getHanging, saveHanging } from "@/server/core/reading/service/hanging.ts";
import { json, readJson, type Routes } from "@/server/core/http/app.ts";

/** Routes of each user's hanging protocol: the arrangement of images in the viewer. */
export const hangingRoutes: Routes = (api, services) => {
  api.get("/api/v1/viewer/hanging", async (context) => {
    return json(hanging, await getHanging(services, context.var.caller));
  });
  api.put("/api/v1/viewer/hanging", async (context) => {
    const chosen = await readJson(context.req.raw, hanging);
    return json(hanging, await saveHanging(services, chosen, context.var.caller));
  });
};
