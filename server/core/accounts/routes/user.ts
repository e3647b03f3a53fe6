import { user } from "@/model/schema/accounts/user.ts";
import { getUser } from "@/server/core/accounts/service/auth.ts";
import { json, type Routes } from "@/server/core/http/app.ts";

export const userRoutes: Routes = (api, services) => {
  api.get(
    "/api/v1/user",
    async (context) => json(user, await getUser(services, context.var.caller)),
  );
};
