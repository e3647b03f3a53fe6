import { binList } from "@/model/schema/studies/bin.ts";
import { listBin, purgeStudy, restoreStudy } from "@/server/core/studies/service/bin.ts";
import { json, noContent, pidOf, type Routes } from "@/server/core/http/app.ts";

const ONE = "/api/v1/bin/:pid{[0-9]+}";

export const binRoutes: Routes = (api, services) => {
  api.get(
    "/api/v1/bin",
    async ({ var: { caller } }) => json(binList, await listBin(services, caller)),
  );
  api.post(`${ONE}/restoration`, async ({ req, var: { caller } }) => {
    await restoreStudy(services, pidOf(req.param("pid")), caller);
    return noContent();
  });
  api.delete(ONE, async ({ req }) => {
    await purgeStudy(services, pidOf(req.param("pid")));
    return noContent();
  });
};
