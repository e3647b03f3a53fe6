// A simulated OpenID provider with arbitrary responses, also those of an attacker, and its own
// keys.
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

const CLIENT_ID = "sulcus";
const SITE = "http://127.0.0.1:9";

interface Answer {
  /** additional or replaced claims */
  claims?: JWTPayload;
  /** expiry, seconds from now */
  expiresIn?: number;
  /** key of the signature: in the key set, unknown, none, or the client's secret */
  signature?: "right" | "foreign" | "none" | "secret";
}

/** Serves the provider on a free port. */
export async function servedProvider(secret: string) {
  const right = await generateKeyPair("RS256", { extractable: true }),
    foreign = await generateKeyPair("RS256");
  const jwk = { ...await exportJWK(right.publicKey), kid: "1", alg: "RS256", use: "sig" };
  const codes = new Map<string, { nonce: string; redirectUri: string; challenge: string }>();
  const next: { answer: Answer } = { answer: {} };
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => answer(request),
  );
  const issuer = `http://127.0.0.1:${server.addr.port}`;

  async function idToken(nonce: string): Promise<string> {
    const { claims = {}, expiresIn = 300, signature = "right" } = next.answer,
      now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: issuer,
      aud: CLIENT_ID,
      sub: "u1",
      nonce,
      iat: now,
      exp: now + expiresIn,
      email: "dr.kim@hospital.example",
      email_verified: true,
      name: "김 Kim",
      groups: ["neuro"],
      ...claims,
    };
    for (const [name, value] of Object.entries(payload)) {
      if (value === undefined) delete payload[name as keyof typeof payload];
    }
    if (signature === "none") {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
      return `${part({ alg: "none" })}.${part(payload)}.`;
    }
    const signed = new SignJWT(payload);
    if (signature === "secret") {
      return await signed.setProtectedHeader({ alg: "HS256" }).sign(
        new TextEncoder().encode(secret),
      );
    }
    return await signed.setProtectedHeader({ alg: "RS256", kid: "1" })
      .sign(signature === "right" ? right.privateKey : foreign.privateKey);
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/openid-configuration") {
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        end_session_endpoint: `${issuer}/out`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256", "none", "HS256"],
      });
    }
    if (pathname === "/jwks") return Response.json({ keys: [jwk] });
    if (pathname !== "/token") return new Response(null, { status: 404 });
    const form = await request.formData(), code = String(form.get("code")), known = codes.get(code);
    codes.delete(code);
    const verifier = new TextEncoder().encode(String(form.get("code_verifier")));
    const challenge = Buffer.from(await crypto.subtle.digest("SHA-256", verifier)).toString(
      "base64url",
    );
    if (
      known === undefined || known.challenge !== challenge ||
      form.get("redirect_uri") !== known.redirectUri
    ) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    return Response.json({
      access_token: "a",
      token_type: "Bearer",
      id_token: await idToken(known.nonce),
    });
  }

  return {
    issuer,
    /** sets claims and signature of the next ID token */
    says: (answer: Answer) => void (next.answer = answer),
    /** signs a user in at `url`; returns the query with which the browser comes back */
    visit(url: string): URLSearchParams {
      const { searchParams } = new URL(url), code = crypto.randomUUID();
      codes.set(code, {
        nonce: searchParams.get("nonce")!,
        redirectUri: searchParams.get("redirect_uri")!,
        challenge: searchParams.get("code_challenge")!,
      });
      return new URLSearchParams({ code, state: searchParams.get("state")!, iss: issuer });
    },
    settings: {
      name: "Hospital",
      issuer,
      clientId: CLIENT_ID,
      clientSecret: secret,
      scope: "openid profile email",
      groupsClaim: "groups",
      trustsEmail: false,
      roles: [{ group: "it", role: "administrator" as const }, {
        group: "neuro",
        role: "physician" as const,
      }],
      publicUrl: SITE,
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
