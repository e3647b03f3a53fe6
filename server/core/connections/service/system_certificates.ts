/**
 * Client certificates with which remote systems read results from this site.
 * Identified by fingerprint: SHA-256 of the certificate (DER), hexadecimal.
 */
import { createHash, X509Certificate } from "node:crypto";
import { AppError } from "@/model/errors.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/**
 * Fingerprint of a client certificate, from a pasted text: the certificate (PEM), or a fingerprint
 * with or without colons, as printed by `openssl x509 -noout -fingerprint -sha256`.
 * An empty text gives an empty fingerprint. @throws {AppError} `input.invalid`.
 */
export function pastedFingerprint(text: string): string {
  if (text.trim() === "") return "";
  const [, pem] =
    /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(text) ?? [];
  if (pem !== undefined) return sha256(Buffer.from(pem, "base64"));
  const fingerprint = text.slice(text.indexOf("=") + 1).replaceAll(/[:\s]/g, "").toLowerCase();
  if (/^[0-9a-f]{64}$/.test(fingerprint)) return fingerprint;
  throw new AppError(
    "input.invalid",
    "Cannot save the connection: no certificate and no SHA-256 fingerprint",
    {
      field: "certificate",
    },
  );
}

/**
 * Fingerprint of the client certificate in a header (RFC 9440) set by the edge, the page server.
 * `null` for a certificate that is not valid now, and for any other text.
 */
export function presentedFingerprint(header: string, nowMs = Date.now()): string | null {
  const [, text] = /^:([A-Za-z0-9+/=]+):$/.exec(header) ?? [];
  if (text === undefined) return null;
  const der = Buffer.from(text, "base64");
  try {
    const { validFrom, validTo } = new X509Certificate(der);
    return Date.parse(validFrom) <= nowMs && nowMs <= Date.parse(validTo) ? sha256(der) : null;
  } catch {
    return null;
  }
}
