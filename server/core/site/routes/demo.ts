import { demoState } from "@/model/schema/site/demo.ts";
import { deletionResponse } from "@/model/schema/studies/patients.ts";
import { getDemo, loadDemo, removeDemo } from "@/server/core/site/service/demo.ts";
import { json, type Routes } from "@/server/core/http/app.ts";

/** Routes of demo patients. */
export const demoRoutes: Routes = (api, services) => {
  api.get(
    "/api/v1/demo",
    async (context) => json(demoState, await getDemo(services, context.var.caller)),
  );
  api.post("/api/v1/demo", async (context) => {
    context.set("audited", []);
    return json(demoState, await loadDemo(services, context.var.caller));
  });
  api.delete("/api/v1/demo", async (context) => {
    const answer = await removeDemo(services, context.var.caller);
    context.set("audited", answer.deleted);
    return json(deletionResponse, answer);
  });
};
