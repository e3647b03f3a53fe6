import { analysesRequest, analysesResponse } from "@/model/schema/studies/patients.ts";
import { reanalyze, startAnalyses } from "@/server/core/analyses/service/analysis.ts";
import { json, pidOf, readJson, type Routes } from "@/server/core/http/app.ts";

export const analysisRoutes: Routes = (api, services) => {
  api.post("/api/v1/analyses", async (context) => {
    const { pid_list } = await readJson(context.req.raw, analysesRequest);
    context.set("audited", pid_list);
    return json(analysesResponse, await startAnalyses(services, pid_list, context.var.caller));
  });
  api.post("/api/v1/patients/:pid{[0-9]+}/reanalyses", async (context) => {
    const pid = pidOf(context.req.param("pid"));
    return json(analysesResponse, await reanalyze(services, pid, context.var.caller));
  });
};
