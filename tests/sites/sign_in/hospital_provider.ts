// The npm package oidc-provider on a free port, with simple sign-in pages.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export const CLIENT_SECRET = "a-secret-of-the-client-0123456789";

/** Users of a provider, and the site as its client. */
interface HospitalRules {
  secret?: string;
  /** groups of every user; may be changed */
  groups?: string[];
  /** whether refresh tokens are issued */
  isRenewing?: boolean;
}

/** Makes the provider of an issuer, with the site as its client. */
export function hospitalProvider(
  issuer: string,
  siteUrl: string,
  { secret = CLIENT_SECRET, groups = ["neuro"], isRenewing = false }: HospitalRules,
): Provider {
  return new Provider(issuer, {
    clients: [{
      client_id: "sulcus",
      client_secret: secret,
      redirect_uris: [`${siteUrl}/sign-in/callback`],
      post_logout_redirect_uris: [`${siteUrl}/login`],
      response_types: ["code"],
      grant_types: ["authorization_code", "refresh_token"],
    }],
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    issueRefreshToken: () => Promise.resolve(isRenewing),
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: `${sub}@hospital.example`,
        email_verified: true,
        name: "Dr Park",
        groups,
      }),
    }),
  });
}

/** Serves a provider; all users are in `groups`; `isRenewing` issues refresh tokens. */
export async function servedHospital(
  siteUrl: string,
  groups: string[] = ["neuro"],
  isRenewing = false,
) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = hospitalProvider(issuer, siteUrl, { groups, isRenewing });
  server.on("request", provider.callback());
  return {
    issuer,
    /** Signs a user in like a browser. @returns the query with which the browser returns. */
    visit: (url: string, login: string) => visit(url, login, siteUrl),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => (server.close(() => resolve()), server.closeAllConnections())),
  };
}

async function visit(url: string, login: string, siteUrl: string): Promise<string> {
  const cookies = new Map<string, string>();
  const get = async (address: string, form?: Record<string, string>): Promise<Response> => {
    const answer = await fetch(address, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(form ? { method: "POST", body: new URLSearchParams(form) } : {}),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return answer;
  };
  /** Follows redirects to a page, or back to the site. */
  const follow = async (address: string, form?: Record<string, string>): Promise<string> => {
    const answer = await get(address, form), next = answer.headers.get("location");
    await answer.body?.cancel();
    if (next === null) return address;
    const target = new URL(next, address).href;
    return target.startsWith(siteUrl) ? target : await follow(target);
  };
  const page = await follow(url),
    consent = await follow(page, { prompt: "login", login, password: "any" });
  return new URL(await follow(consent, { prompt: "consent" })).search;
}
