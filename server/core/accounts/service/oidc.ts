// Sign-in at the hospital's OpenID provider: authorization code with PKCE, state and nonce.
// Specification: OpenID Connect Core §3.1.
import * as client from "openid-client";
import { AppError } from "@/model/errors.ts";
import type { LoginResponse } from "@/model/schema/accounts/auth.ts";
import { idTokenOf } from "@/server/core/accounts/storage/sessions.ts";
import { loginWithProvider } from "@/server/core/accounts/service/auth.ts";
import type { Origin } from "@/server/core/accounts/service/sign_in_delay.ts";
import { noteAudit } from "@/server/core/site/service/audit/audit.ts";
import { admitPerson } from "@/server/core/accounts/service/admission.ts";
import type { OidcSettings } from "@/server/core/accounts/service/identity_settings.ts";
import {
  configurationOf,
  personOf,
  unreachable,
} from "@/server/core/accounts/service/oidc_provider.ts";
import {
  PROVIDER_TOKEN,
  seal,
  sealFlow,
  unsealFlow,
} from "@/server/core/accounts/service/sealed_secret.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";

const FLOW_MS = 10 * 60_000;
/** Maximum length of a return URL; a longer one is dropped, as cookies have at most 4,096 bytes. */
const MAX_NEXT_BYTES = 2000;
const CALLBACK_PATH = "/sign-in/callback";
/** Accepted signature algorithms of ID tokens: only asymmetric ones. */
const ALGORITHMS = /^(RS|PS|ES)(256|384|512)$|^EdDSA$|^Ed25519$/;

interface Flow {
  verifier: string;
  state: string;
  nonce: string;
  next: string;
}

const refused = (cause: unknown) =>
  new AppError("auth.provider_refused", "Cannot sign in: the provider's answer does not hold", {}, {
    cause,
  });

function settingsOf({ identity }: ServiceContext): OidcSettings {
  if (!identity?.oidc) {
    throw new AppError("entity.not_found", "Cannot sign in: the site has no provider");
  }
  return identity.oidc;
}

/**
 * Starts a sign-in. The server stores no state, because anyone can start a sign-in.
 * @returns URL of the provider's page, and the encrypted state for a cookie of the browser.
 */
export async function beginSignIn(
  services: ServiceContext,
  next: string,
  nowMs = Date.now(),
): Promise<{ url: string; flow: string }> {
  const settings = settingsOf(services), configuration = await configurationOf(settings, nowMs);
  const flow: Flow = {
    verifier: client.randomPKCECodeVerifier(),
    state: client.randomState(),
    nonce: client.randomNonce(),
    next: new TextEncoder().encode(next).length > MAX_NEXT_BYTES ? "/" : next,
  };
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: settings.publicUrl + CALLBACK_PATH,
    scope: settings.scope,
    code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
    code_challenge_method: "S256",
    state: flow.state,
    nonce: flow.nonce,
  });
  return { url: url.href, flow: await sealFlow(services.db, flow, nowMs + FLOW_MS) };
}

/**
 * Exchanges the provider's authorization code for tokens.
 * openid-client verifies state, nonce, issuer, audience, times and signature.
 */
async function exchange(
  settings: OidcSettings,
  { verifier, state, nonce }: Flow,
  query: string,
  nowMs: number,
): Promise<{ claims: client.IDToken; idToken: string | null; refreshToken: string | null }> {
  const configuration = await configurationOf(settings, nowMs);
  try {
    const tokens = await client.authorizationCodeGrant(
      configuration,
      new URL(`${settings.publicUrl}${CALLBACK_PATH}?${query.replace(/^\?/, "")}`),
      {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      },
    );
    const claims = tokens.claims(), idToken = tokens.id_token ?? null;
    const header = JSON.parse(
      Buffer.from((idToken ?? "").split(".")[0]!, "base64url").toString("utf8"),
    );
    if (claims === undefined || !ALGORITHMS.test(header.alg)) {
      throw new Error("No ID token that could be trusted");
    }
    return { claims, idToken, refreshToken: tokens.refresh_token ?? null };
  } catch (cause) {
    if (cause instanceof TypeError || (cause as Error).name === "TimeoutError") {
      throw unreachable(cause);
    }
    throw refused(cause);
  }
}

/**
 * Completes a sign-in. It fails for a code that was used before: a code is valid once.
 * @param query Query of the URL to which the provider redirected the browser.
 * @throws {AppError} `auth.provider_refused`, `auth.provider_unreachable`, `auth.no_role`,
 * `auth.no_email`, `auth.account_exists`, and the errors for an inactive account.
 */
export async function completeSignIn(
  services: ServiceContext,
  { flow: sealed, query }: { flow: string; query: string },
  origin: Origin,
  nowMs = Date.now(),
): Promise<LoginResponse & { next: string }> {
  const settings = settingsOf(services), { log } = services;
  try {
    const flow = await unsealFlow(services.db, sealed, nowMs) as Flow | null;
    if (flow === null) throw refused(new Error("No such sign-in is under way"));
    const { claims, idToken, refreshToken } = await exchange(settings, flow, query, nowMs);
    const user = await admitPerson(services, personOf(claims, settings, refreshToken));
    const reference = refreshToken && await seal(services.db, refreshToken, PROVIDER_TOKEN);
    return {
      ...await loginWithProvider(services, user, { idToken, reference }, origin, nowMs),
      next: flow.next,
    };
  } catch (error) {
    if (error instanceof AppError && /^auth\.(provider|no_|account_)/.test(error.code)) {
      log("warn", "Refused a sign-in of the provider", {
        code: error.code,
        error: String(error.cause ?? ""),
      });
      const { address } = origin;
      await noteAudit(services, {
        event: "auth.login",
        userId: null,
        address,
        outcome: error.code,
      });
    }
    throw error;
  }
}

/**
 * Sign-out page of the OpenID provider, for the session of the caller.
 * `null` for other ways of signing in, or if the provider has no such page.
 */
export async function signOutUrl(
  services: ServiceContext,
  { sid }: Caller,
): Promise<string | null> {
  const settings = services.identity?.oidc, idToken = await idTokenOf(services.db, sid);
  if (!settings || idToken === null) return null;
  try {
    const configuration = await configurationOf(settings, Date.now());
    if (!configuration.serverMetadata().end_session_endpoint) return null;
    return client.buildEndSessionUrl(configuration, {
      id_token_hint: idToken,
      post_logout_redirect_uri: `${settings.publicUrl}/login`,
    }).href;
  } catch (error) {
    // ignored: signing out at this site must not depend on the provider
    services.log("warn", "Cannot ask the provider for its sign-out", { error: String(error) });
    return null;
  }
}
