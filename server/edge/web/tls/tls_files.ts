// The site's TLS certificate and key, and the renewal of both at run time.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Log } from "@/model/site/log.ts";

/** Paths of certificate chain and key, PEM. */
export interface TlsFiles {
  cert: string;
  key: string;
}
/** Contents of the certificate file and the key file. */
export interface TlsPair {
  cert: string;
  key: string;
}

/** Interval of checks for renewed files, ms. */
const CHECK_INTERVAL_MS = 10_000;

const reason = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0];

/** Runs a step of reading the files. @throws Error in one line, naming the file and the problem. */
function step<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new Error(`Cannot use ${what}: ${reason(cause)}`, { cause });
  }
}

/**
 * Reads a certificate and the key of the certificate.
 * @throws Error in one line for an unreadable, expired or non-PEM file, or files that do not match.
 */
export function readTlsPair({ cert, key }: TlsFiles, nowMs = Date.now()): TlsPair {
  const pair = {
    cert: step(`the certificate ${cert}`, () => Deno.readTextFileSync(cert)),
    key: step(`the key ${key}`, () => Deno.readTextFileSync(key)),
  };
  const certificate = step(`the certificate ${cert}`, () => new X509Certificate(pair.cert));
  const secret = step(`the key ${key}`, () => createPrivateKey(pair.key));
  if (!certificate.checkPrivateKey(secret)) {
    throw new Error(`Cannot use the key ${key}: it does not belong to the certificate ${cert}`);
  }
  if (Date.parse(certificate.validTo) < nowMs) {
    throw new Error(
      `Cannot use the certificate ${cert}: it was valid until ${certificate.validTo}`,
    );
  }
  step(`the certificate ${cert}`, () => createSecureContext(pair));
  return pair;
}

/**
 * Checks both files periodically and passes on new contents. While the files do not match, as
 * during a renewal, the previous pair stays in use, with one warning.
 * @returns a function that stops the checks.
 */
export function watchTlsPair(
  files: TlsFiles,
  before: TlsPair,
  log: Log,
  renewed: (pair: TlsPair) => void,
  intervalMs = CHECK_INTERVAL_MS,
): () => void {
  let currentPair = before, warned = "";
  const watch = setInterval(() => {
    try {
      const pair = readTlsPair(files);
      warned = "";
      if (pair.cert === currentPair.cert && pair.key === currentPair.key) return;
      currentPair = pair;
      renewed(pair);
      log("info", "Renewed the certificate", { until: new X509Certificate(pair.cert).validTo });
    } catch (error) {
      const why = reason(error)!;
      if (why !== warned) log("warn", "Going on with the certificate before", { why });
      warned = why;
    }
  }, intervalMs);
  Deno.unrefTimer(watch as unknown as number);
  return () => clearInterval(watch);
}
