/**
 * Client certificates with which remote systems read from this site.
 * Registered by fingerprint: SHA-256 of the DER, hexadecimal.
 */
import { createHash, X509Certificate } from "node:crypto";
import { AppError } from "@/model/errors.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/**
 * Fingerprint in a pasted text: a certificate (PEM), or a fingerprint with or without colons,
 * as printed by `openssl x509 -noout -fingerprint -sha256`.
 * Empty for an empty text. @throws {AppError} `input.invalid`.
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
 * Fingerprint of a currently valid client certificate in the edge's header (RFC 9440).
 * `null` for any other text.
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
