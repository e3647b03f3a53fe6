import { listView } from "@/model/schema/worklist/list_view.ts";
import { getListView, saveListView } from "@/server/core/studies/service/list_view.ts";
import { json, readJson, type Routes } from "@/server/core/http/app.ts";

/** Routes of the worklist settings that each user has. */
export const listViewRoutes: Routes = (api, services) => {
  api.get("/api/v1/worklist/view", async (context) => {
    return json(listView, await getListView(services, context.var.caller));
  });
  api.put("/api/v1/worklist/view", async (context) => {
    const view = await readJson(context.req.raw, listView);
    return json(listView, await saveListView(services, view, context.var.caller));
  });
};
