// The hospital's OpenID provider: configuration, and claims about people (OpenID Connect Core).
import * as client from "openid-client";
import { AppError } from "@/model/errors.ts";
import type { Person } from "@/server/core/accounts/service/admission.ts";
import {
  type OidcSettings,
  roleOfGroups,
} from "@/server/core/accounts/service/identity_settings.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

const CONFIGURATION_MS = 3_600_000, TIMEOUT_S = 10;

export const unreachable = (cause: unknown): AppError =>
  new AppError("auth.provider_unreachable", "Cannot ask the provider", {}, { cause });

const configurations = new WeakMap<
  OidcSettings,
  { at: number; found: Promise<client.Configuration> }
>();

/**
 * Configuration of the provider, cached for an hour. @throws {AppError}
 * `auth.provider_unreachable`.
 */
export async function configurationOf(
  settings: OidcSettings,
  nowMs: number,
): Promise<client.Configuration> {
  const cached = configurations.get(settings);
  if (cached !== undefined && Math.abs(nowMs - cached.at) < CONFIGURATION_MS) {
    return await cached.found;
  }
  const { issuer, clientId, clientSecret } = settings, url = new URL(issuer);
  const isLocal = url.protocol === "http:" && /^(localhost|127\.|\[::1\])/.test(url.hostname);
  const discovery = client.discovery(url, clientId, clientSecret ?? undefined, undefined, {
    timeout: TIMEOUT_S,
    // also verifies the signature of ID tokens, although they come from the provider directly
    execute: [client.enableNonRepudiationChecks, ...isLocal ? [client.allowInsecureRequests] : []],
  });
  configurations.set(settings, { at: nowMs, found: discovery });
  try {
    return await discovery;
  } catch (cause) {
    configurations.delete(settings);
    throw unreachable(cause);
  }
}

/** Converts claims (of an ID token or the user info endpoint) to a person. */
export function personOf(
  claims: client.IDToken | (client.UserInfoResponse & { iss: string }),
  { groupsClaim, roles, trustsEmail }: OidcSettings,
  refreshToken: string | null,
): Person {
  const groups = claims[groupsClaim],
    text = (name: string) => {
      const value = claims[name];
      return typeof value === "string" && value !== "" ? value : null;
    };
  const names = (Array.isArray(groups) ? groups : [groups]).filter((each) =>
    typeof each === "string"
  );
  // some providers send `email_verified` as text, and some do not send it at all
  const said = claims.email_verified as unknown, isConfirmed = said === true || said === "true";
  return {
    source: "oidc",
    subject: `${claims.iss} ${claims.sub}`,
    // an unconfirmed e-mail address must not identify a person
    email: isConfirmed || said === undefined ? text("email") : null,
    isEmailConfirmed: isConfirmed || trustsEmail,
    name: text("name"),
    role: roleOfGroups(names, roles),
    reference: refreshToken,
  };
}

/**
 * Claims after the tokens were renewed.
 * The groups may be in the ID token, or at the user info endpoint.
 */
async function claimsAgain(
  configuration: client.Configuration,
  tokens: Awaited<ReturnType<typeof client.refreshTokenGrant>>,
  { groupsClaim }: OidcSettings,
  subject: string,
): Promise<client.IDToken | (client.UserInfoResponse & { iss: string })> {
  const claims = tokens.claims(), [iss = "", sub = ""] = subject.split(" ");
  if (claims !== undefined && `${claims.iss} ${claims.sub}` !== subject) {
    throw new Error("The renewed ID token is somebody else's");
  }
  const isTold = claims !== undefined && claims[groupsClaim] !== undefined;
  if (isTold || !configuration.serverMetadata().userinfo_endpoint) return claims ?? { iss, sub };
  return { ...await client.fetchUserInfo(configuration, tokens.access_token, sub), iss };
}

/**
 * Asks the provider about a person who has signed in before, by the stored refresh token.
 * @param subject Issuer and subject as stored with the account.
 * @returns the person now and the next refresh token; `null`: the provider refuses to renew;
 * `undefined`: no OpenID provider is configured.
 * @throws {AppError} `auth.provider_unreachable`.
 */
export async function askProviderAgain(
  { identity, log }: ServiceContext,
  refreshToken: string,
  subject: string,
  nowMs: number,
): Promise<Person | null | undefined> {
  const settings = identity?.oidc;
  if (!settings) return undefined;
  const configuration = await configurationOf(settings, nowMs);
  try {
    const tokens = await client.refreshTokenGrant(configuration, refreshToken);
    const claims = await claimsAgain(configuration, tokens, settings, subject);
    return personOf(claims, settings, tokens.refresh_token ?? refreshToken);
  } catch (cause) {
    if (cause instanceof client.ResponseBodyError && cause.error === "invalid_grant") return null;
    log("error", "Cannot ask the provider about somebody", { error: String(cause) });
    throw unreachable(cause);
  }
}
