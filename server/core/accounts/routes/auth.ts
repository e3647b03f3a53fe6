import { AppError } from "@/model/errors.ts";
import {
  loginRequest,
  loginResponse,
  oidcCompleted,
  oidcCompletion,
  oidcStart,
  oidcStarted,
  refreshResponse,
  signInMethods,
  signOutAddress,
  wsTicket,
} from "@/model/schema/accounts/auth.ts";
import { beginSignIn, completeSignIn, signOutUrl } from "@/server/core/accounts/service/oidc.ts";
import { issueTicket, login, logout, refreshTokens } from "@/server/core/accounts/service/auth.ts";
import {
  addressOf,
  bearerOf,
  json,
  noContent,
  originOf,
  readJson,
  type Routes,
} from "@/server/core/http/app.ts";

export const authRoutes: Routes = (api, services) => {
  api.post("/api/v1/auth/login", async ({ req }) => {
    const request = await readJson(req.raw, loginRequest);
    return json(loginResponse, await login(services, request, originOf(req.raw)));
  });
  api.get("/api/v1/auth/methods", () => {
    const { oidc = null, ldap = null } = services.identity ?? {};
    return json(signInMethods, { provider: oidc?.name ?? null, directory: ldap !== null });
  });
  api.post("/api/v1/auth/oidc", async ({ req }) => {
    const { next } = await readJson(req.raw, oidcStart);
    return json(oidcStarted, await beginSignIn(services, next));
  });
  api.post("/api/v1/auth/oidc/completion", async ({ req }) => {
    const answer = await completeSignIn(
      services,
      await readJson(req.raw, oidcCompletion),
      originOf(req.raw),
    );
    return json(oidcCompleted, answer);
  });
  api.get("/api/v1/auth/sign-out", async ({ var: { caller } }) => {
    return json(signOutAddress, { url: await signOutUrl(services, caller) });
  });
  api.post("/api/v1/auth/refresh", async ({ req }) => {
    const token = bearerOf(req.raw);
    if (token === null) throw new AppError("token.missing", "Cannot refresh: no refresh token");
    return json(
      refreshResponse,
      await refreshTokens(services, token, Date.now(), addressOf(req.raw)),
    );
  });
  // HEAD has no routes: Hono serves HEAD requests by the GET route
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
