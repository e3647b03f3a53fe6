import { filterRequest, filtersResponse, savedFilter } from "@/model/schema/worklist/filters.ts";
import {
  addFilter,
  changeFilter,
  deleteFilter,
  listFilters,
} from "@/server/core/studies/service/filters.ts";
import { json, noContent, readJson, type Routes } from "@/server/core/http/app.ts";

export const filterRoutes: Routes = (api, services) => {
  api.get("/api/v1/filters", async (context) => {
    return json(filtersResponse, await listFilters(services, context.var.caller));
  });
  api.post("/api/v1/filters", async (context) => {
    const request = await readJson(context.req.raw, filterRequest);
    return json(savedFilter, await addFilter(services, request, context.var.caller), 201);
  });
  api.put("/api/v1/filters/:id{[0-9]{1,15}}", async (context) => {
    const request = await readJson(context.req.raw, filterRequest);
    const id = Number(context.req.param("id"));
    return json(savedFilter, await changeFilter(services, id, request, context.var.caller));
  });
  api.delete("/api/v1/filters/:id{[0-9]{1,15}}", async (context) => {
    await deleteFilter(services, Number(context.req.param("id")), context.var.caller);
    return noContent();
  });
};
