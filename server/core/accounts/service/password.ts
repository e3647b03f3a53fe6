import { AppError } from "@/model/errors.ts";
import { normalForm } from "@/model/normal_form.ts";
import { passwordProblem } from "@/model/settings/password_rules.ts";
import { randomBytes, timingSafeEqual } from "node:crypto";

/** Iterations that OWASP requires for PBKDF2-HMAC-SHA256 (Password Storage Cheat Sheet, 2023). */
export const ITERATIONS = 600_000;
const HASH_BYTES = 32, SALT_BYTES = 16;

async function derive(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
): Promise<Uint8Array> {
  // NFKC: keyboards may compose the same characters differently
  const bytes = new TextEncoder().encode(normalForm(password, "NFKC"));
  const key = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits(
    { name: "PBKDF2", hash: "SHA-256", salt, iterations },
    key,
    HASH_BYTES * 8,
  );
  return new Uint8Array(bits);
}

/**
 * Password hash as `pbkdf2-sha256$iterations$salt$hash`, base64url. Takes 0.2 s off the event loop.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = new Uint8Array(randomBytes(SALT_BYTES));
  const hash = await derive(password, salt, ITERATIONS);
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
  return `pbkdf2-sha256$${ITERATIONS}$${text(salt)}$${text(hash)}`;
}

/** Hash that no password matches, so that unknown e-mail addresses take as long as stored ones. */
const NOBODY = `pbkdf2-sha256$${ITERATIONS}$${"A".repeat(22)}$${"A".repeat(43)}`;

/**
 * @param stored Result of {@link hashPassword}; `null` for an unknown account:
 * the result is false after the same time.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, iterations, salt, hash] = (stored ?? NOBODY).split("$");
  if (scheme !== "pbkdf2-sha256" || !salt || !hash) return false;
  const expected = Buffer.from(hash, "base64url");
  const actual = await derive(
    password,
    new Uint8Array(Buffer.from(salt, "base64url")),
    Number(iterations),
  );
  return expected.length === actual.length && timingSafeEqual(expected, actual) && stored !== null;
}

let commonest: ReadonlySet<string> | undefined;

/**
 * Passwords in lower case that are public by breaches, although they satisfy the rules.
 * Source: docs/security.md, "Passwords".
 */
const commonPasswords = (): ReadonlySet<string> =>
  commonest ??= new Set(
    Deno.readTextFileSync(new URL("./common_passwords.txt", import.meta.url)).trimEnd().split("\n"),
  );

/**
 * @throws {AppError} `password.policy` with the violated rules in `details.needs`;
 * `password.common` for a password that is public by breaches.
 */
export function checkNewPassword(password: string): void {
  const needs = passwordProblem(password);
  if (needs !== null) {
    throw new AppError("password.policy", `Cannot set the password: it needs ${needs}`, { needs });
  }
  if (commonPasswords().has(normalForm(password, "NFKC").toLowerCase())) {
    throw new AppError("password.common", "Cannot set the password: it is one of the commonest");
  }
}

// alphabet of generated passwords, without characters that look alike
const LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/** Random password of about 93 bits that satisfies the rules. */
export function generatePassword(): string {
  const group = () =>
    Array.from(randomBytes(64)).filter((b) => b < 256 - 256 % LETTERS.length).slice(0, 4)
      .map((b) => LETTERS[b % LETTERS.length]).join("");
  const password = [group(), group(), group(), group()].join("-");
  return passwordProblem(password) === null ? password : generatePassword();
}
