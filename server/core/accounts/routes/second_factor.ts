import {
  factorCode,
  factorRequest,
  factorState,
  newFactor,
  recoveryCodes,
} from "@/model/schema/accounts/second_factor.ts";
import {
  beginFactor,
  confirmFactorOf,
  endFactor,
  getFactor,
  resetFactor,
} from "@/server/core/accounts/service/second_factor.ts";
import { json, noContent, readJson, type Routes } from "@/server/core/http/app.ts";

const OWN = "/api/v1/second-factor";

export const secondFactorRoutes: Routes = (api, services) => {
  api.get(OWN, async ({ var: { caller } }) => json(factorState, await getFactor(services, caller)));
  api.post(OWN, async ({ req, var: { caller } }) => {
    const { password } = await readJson(req.raw, factorRequest);
    return json(newFactor, await beginFactor(services, caller, password));
  });
  api.post(`${OWN}/confirmation`, async ({ req, var: { caller } }) => {
    const { code } = await readJson(req.raw, factorCode);
    return json(recoveryCodes, { recovery_codes: await confirmFactorOf(services, caller, code) });
  });
  api.delete(OWN, async ({ req, var: { caller } }) => {
    const { code } = await readJson(req.raw, factorCode);
    await endFactor(services, caller, code);
    return noContent();
  });
  api.delete("/api/v1/users/:id{[0-9]{1,15}}/second-factor", async (context) => {
    const id = Number(context.req.param("id"));
    context.set("auditDetails", { user: id });
    await resetFactor(services.db, id);
    return noContent();
  });
};
