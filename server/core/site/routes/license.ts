import {
  creditLog,
  creditLogMonth,
  creditLogQuery,
  creditMonthQuery,
  licenseInfo,
  passwordPut,
  vuucToken,
} from "@/model/schema/site/license.ts";
import { changePassword } from "@/server/core/accounts/service/account.ts";
import { issueAccessToken } from "@/server/core/accounts/service/auth.ts";
import { getCreditLog, getCreditMonths, getLicense } from "@/server/core/site/service/license.ts";
import { json, noContent, readJson, readQuery, type Routes } from "@/server/core/http/app.ts";

/** Routes for licence, credits and password, under the path `/vuuc` that D1 §7 requires. */
export const licenseRoutes: Routes = (api, services) => {
  api.get(
    "/vuuc/api/auth/token",
    async (context) =>
      json(vuucToken, { access_token: await issueAccessToken(services, context.var.caller) }),
  );
  api.get("/vuuc/api/user/license", async () => json(licenseInfo, await getLicense(services.db)));
  api.put("/vuuc/api/user", async (context) => {
    await changePassword(
      services,
      context.var.caller,
      await readJson(context.req.raw, passwordPut),
    );
    return noContent();
  });
  api.get(
    "/vuuc/api/user/credit/log/month",
    async ({ req }) =>
      json(creditLogMonth, await getCreditMonths(services, readQuery(req.raw, creditMonthQuery))),
  );
  api.get(
    "/vuuc/api/user/credit/log",
    async ({ req }) =>
      json(creditLog, await getCreditLog(services, readQuery(req.raw, creditLogQuery))),
  );
};
