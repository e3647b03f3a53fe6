import { signInDelays } from "@/model/schema/accounts/sign_ins.ts";
import { currentDelays, liftDelay } from "@/server/core/accounts/service/sign_in_delay.ts";
import { json, noContent, type Routes } from "@/server/core/http/app.ts";

export const signInRoutes: Routes = (api, services) => {
  api.get(
    "/api/v1/sign-ins/delays",
    async () => json(signInDelays, await currentDelays(services.db)),
  );
  api.delete("/api/v1/sign-ins/delays/:id{[0-9a-f]{64}}", async ({ req }) => {
    await liftDelay(services, req.param("id"));
    return noContent();
  });
};
