import { AppError } from "@/model/errors.ts";
import { loginRequest, loginResponse, refreshResponse, wsTicket } from "@/model/schema/auth.ts";
import { issueTicket, login, logout, refreshTokens } from "@/core/services/accounts/auth.ts";
import { addressOf, bearerOf, json, noContent, originOf, readJson, type Routes } from "@/core/api/app.ts";

export const authRoutes: Routes = (api, services) => {
  api.post("/api/v1/auth/login", async ({ req }) => {
    const request = await readJson(req.raw, loginRequest);
    return json(loginResponse, await login(services, request, originOf(req.raw)));
  });
  api.post("/api/v1/auth/refresh", async ({ req }) => {
    const token = bearerOf(req.raw);
    if (token === null) throw new AppError("token.missing", "Cannot refresh: no refresh token");
    return json(refreshResponse, await refreshTokens(services, token, Date.now(), addressOf(req.raw)));
  });
  // Hono answers HEAD through GET
  api.get("/api/v1/auth/logout", async ({ req }) => {
    if (req.method !== "HEAD") throw new AppError("entity.not_found", "Cannot find the call");
    const token = bearerOf(req.raw);
    if (token !== null) await logout(services, token);
    return noContent();
  });
  api.post("/api/v1/auth/ws-ticket", async (context) => {
    return json(wsTicket, await issueTicket(services, context.var.caller));
  });
};
