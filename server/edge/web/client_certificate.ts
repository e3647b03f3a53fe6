import { type CallerContext, isOfTrustedProxy } from "@/server/edge/web/client_address.ts";

/** RFC 9440: the certificate between colons, DER in base64. */
export const CLIENT_CERT = "client-cert";
/** Format of nginx (`$ssl_client_escaped_cert`): PEM, percent-encoded. */
export const ESCAPED_CERT = "x-client-cert";
const MAX_CHARACTERS = 16_384;

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/**
 * Client certificate as forwarded by a proxy, in the form of RFC 9440; `null` without a
 * certificate. Anyone can send the header, and a certificate is not secret: only a proxy in the
 * settings is trusted, which has verified that the client has the private key.
 */
export function clientCertificate(context: CallerContext): string | null {
  if (!isOfTrustedProxy(context)) return null;
  const certificate = context.req.header(CLIENT_CERT) ?? "",
    escaped = context.req.header(ESCAPED_CERT) ?? "";
  if (certificate.length > MAX_CHARACTERS || escaped.length > MAX_CHARACTERS) return null;
  const [, der] = /^:([A-Za-z0-9+/=]+):$/.exec(certificate) ??
    /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/.exec(
      unescaped(escaped),
    ) ??
    [];
  return der === undefined ? null : `:${der.replaceAll(/\s/g, "")}:`;
}
