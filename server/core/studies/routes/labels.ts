import {
  labelListResponse,
  labelsPut,
  labelsPutResponse,
  labelsResponse,
} from "@/model/schema/worklist/labels.ts";
import { getLabels, listLabels, saveLabels } from "@/server/core/studies/service/labels.ts";
import { json, readJson, type Routes } from "@/server/core/http/app.ts";

/** Maximum size of a request that saves all labels with the numbers of their studies. */
const MAX_BODY_BYTES = 16 << 20;

/** Adds the version of the labels to a response, as its entity tag. */
function tagged(response: Response, version: string): Response {
  response.headers.set("etag", `"${version}"`);
  return response;
}

export const labelRoutes: Routes = (api, services) => {
  api.get("/api/v1/labels/list", async () => json(labelListResponse, await listLabels(services)));
  api.get("/api/v1/labels", async (context) => {
    const { version, ...answer } = await getLabels(services, context.var.caller);
    return tagged(json(labelsResponse, answer), version);
  });
  api.put("/api/v1/labels", async (context) => {
    const items = await readJson(context.req.raw, labelsPut, MAX_BODY_BYTES);
    const sent = /^"([0-9a-f]+)"$/.exec(context.req.header("if-match") ?? "")?.[1];
    const { version, ...answer } = await saveLabels(services, items, sent, context.var.caller);
    return tagged(json(labelsPutResponse, answer), version);
  });
};
