import { lesionChangeList, lesionVerdictPut } from "@/model/schema/reading/lesion_changes.ts";
import {
  getLesionChanges,
  judgeLesionChange,
} from "@/server/core/reading/service/lesion_changes.ts";
import { json, noContent, pidOf, readJson, type Routes } from "@/server/core/http/app.ts";

const ALL = "/api/v1/patients/:pid{[0-9]+}/lesion-changes";

/** Routes of lesions that changed since the previous study, and of readers' verdicts on them. */
export const lesionChangeRoutes: Routes = (api, services) => {
  api.get(ALL, async ({ req }) => {
    return json(lesionChangeList, await getLesionChanges(services, pidOf(req.param("pid"))));
  });
  api.put(`${ALL}/:lesion{[0-9]{1,3}}`, async (context) => {
    const { req, var: { caller } } = context, lesion = Number(req.param("lesion"));
    const put = await readJson(req.raw, lesionVerdictPut);
    context.set("auditDetails", {
      lesion,
      confirmed: put.is_confirmed === null ? -1 : put.is_confirmed ? 1 : 0,
    });
    await judgeLesionChange(services, pidOf(req.param("pid")), lesion, put, caller);
    return noContent();
  });
};
