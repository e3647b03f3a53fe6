import {
  launchAnswer,
  LAUNCHED_FROM_HEADER,
  launchRequest,
} from "@/model/schema/studies/launch.ts";
import { findLaunched } from "@/server/core/studies/service/launch/launch.ts";
import { json, readJson, type Routes } from "@/server/core/http/app.ts";

/** Host and port of the system that made a link, as recorded in the audit log. */
const HOST = /^[\w.:[\]-]{1,120}$/;

/** Routes that find the studies named by links in other systems. */
export const launchRoutes: Routes = (api, services) => {
  api.post("/api/v1/launch", async (context) => {
    const request = await readJson(context.req.raw, launchRequest);
    const answer = await findLaunched(services, request);
    const from = context.req.header(LAUNCHED_FROM_HEADER) ?? "";
    context.set("audited", answer.studies.map(({ pid }) => pid));
    context.set("auditDetails", {
      origin: HOST.test(from) ? from : "launch",
      result: answer.outcome,
    });
    return json(launchAnswer, answer);
  });
};
