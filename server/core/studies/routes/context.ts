import {
  contextState,
  contextStep,
  followRequest,
  refusalRequest,
  shownRequest,
} from "@/model/schema/studies/context.ts";
import {
  followContext,
  getContext,
  refuseContext,
  showContext,
} from "@/server/core/studies/service/context/follow.ts";
import { json, readJson, type Routes } from "@/server/core/http/app.ts";

/** Routes of context sharing with other applications (FHIRcast). */
export const contextRoutes: Routes = (api, services) => {
  api.get(
    "/api/v1/context",
    async (context) => json(contextState, await getContext(services, context.var.caller)),
  );
  api.post("/api/v1/context/follow", async (context) => {
    const request = await readJson(context.req.raw, followRequest);
    const step = await followContext(services, request, context.var.caller);
    const { action, studies } = step;
    if (action === "none" || action === "close") context.set("audited", "nothing");
    else {
      context.set("audited", studies.map(({ pid }) => pid));
      context.set("auditDetails", {
        origin: services.contextSharing?.hub ?? "",
        result: action,
      });
    }
    return json(contextStep, step);
  });
  api.post("/api/v1/context/refusal", async (context) => {
    const { event_id } = await readJson(context.req.raw, refusalRequest);
    await refuseContext(services, event_id, context.var.caller);
    return new Response(null, { status: 204 });
  });
  api.post("/api/v1/context/shown", async (context) => {
    const { pid } = await readJson(context.req.raw, shownRequest);
    await showContext(services, pid, context.var.caller);
    return new Response(null, { status: 204 });
  });
};
