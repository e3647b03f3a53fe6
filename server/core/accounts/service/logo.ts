// Logo of the organisation: decoded in a worker, stored as PNG.
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { AppError } from "@/model/errors.ts";
import { MAX_LOGO_BYTES } from "@/model/schema/accounts/my_page.ts";
import type { LogoAnswer } from "@/server/core/accounts/service/logo_worker.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  deleteSetting,
  readSettings,
  writeSettings,
} from "@/server/core/settings/storage/settings.ts";
import { rightsToFiles } from "@/server/wire/worker_rights.ts";

const SCOPE = "logo", KEY = "png";
/** Time limit for decoding a logo; the largest takes less than a second. */
const TIMEOUT_MS = 20_000;
/** Files of the program that the worker loads. */
const PROGRAM = ["../../../", "../../../../model/", "../../../../report/", "../../../../chunks/"]
  .map((path) => fileURLToPath(new URL(path, import.meta.url)));
const SCRIPT = new URL("./logo_worker.ts", import.meta.url);

const noPicture = (cause?: unknown) =>
  new AppError("logo.format", "Cannot take the logo: neither PNG nor JPEG", {}, { cause });

/**
 * Encodes a logo again from its pixels, in a worker that may only read the program's files.
 *
 * @param options  Module and time limit of the worker; tests pass a module that hangs.
 * @returns PNG, RGB on white, at most 600 × 240 pixels.
 * @throws {AppError} `logo.too_large`; `logo.format` for content that is neither PNG nor JPEG, and
 * for one that is not decoded in time.
 */
export async function decodeLogo(
  bytes: Uint8Array,
  { script = SCRIPT, timeoutMs = TIMEOUT_MS }: { script?: URL; timeoutMs?: number } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes.length > MAX_LOGO_BYTES) {
    throw new AppError("logo.too_large", "Cannot take the logo: too large");
  }
  const worker = new Worker(script, {
    type: "module",
    deno: { permissions: rightsToFiles(PROGRAM) },
  });
  const { promise, resolve, reject } = Promise.withResolvers<LogoAnswer>();
  const timer = setTimeout(() => reject(noPicture("no answer in time")), timeoutMs);
  worker.onmessage = ({ data }: MessageEvent<LogoAnswer>) => resolve(data);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(noPicture(event.message));
  };
  worker.postMessage(bytes);
  try {
    const answer = await promise;
    if ("png" in answer) return answer.png;
    throw new AppError(answer.code, "Cannot take the logo: refused by the decoder");
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}

/** Logo of the organisation; `version` changes when another logo is stored. */
interface Logo {
  png: Uint8Array<ArrayBuffer>;
  version: string;
}

export async function findLogo(db: Database): Promise<Logo | null> {
  const { [KEY]: text } = await readSettings(db, SCOPE);
  if (typeof text !== "string") return null;
  const png = new Uint8Array(Buffer.from(text, "base64"));
  return { png, version: createHash("sha256").update(png).digest("hex").slice(0, 16) };
}

/** URL of a logo with its version, so that browsers can cache it. */
export const logoUrl = (logo: Logo | null): string | null =>
  logo && `/api/v1/settings/mypage/logo?v=${logo.version}`;

/** Stores the logo. @param png Result of {@link decodeLogo}; `null` deletes the logo. */
export async function storeLogo(db: Database, png: Uint8Array | null): Promise<void> {
  if (png === null) await deleteSetting(db, SCOPE, KEY);
  else await writeSettings(db, SCOPE, { [KEY]: Buffer.from(png).toString("base64") });
}
