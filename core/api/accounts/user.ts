import { user } from "@/model/schema/accounts/user.ts";
import { getUser } from "@/core/services/accounts/auth.ts";
import { json, type Routes } from "@/core/api/app.ts";

export const userRoutes: Routes = (api, services) => {
  api.get("/api/v1/user", async (context) => json(user, await getUser(services, context.var.caller)));
};
