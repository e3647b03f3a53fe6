import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { AppError } from "@/model/errors.ts";
import { isCounted, wholeDays } from "@/model/site/license.ts";
import {
  day,
  licenseFile,
  type LicenseGrant,
  licenseGrant,
  USE_LIMIT,
} from "@/model/schema/site/license.ts";
import { type CertType, certType } from "@/model/schema/studies/study.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  changeCredits,
  insertCredit,
  insertLicenseFile,
  readLicense,
  type StoredLicense,
  updateLicense,
} from "@/server/core/site/storage/license.ts";
import { nowIso } from "@/server/core/site/service/context.ts";
import { instant } from "@/server/core/site/service/license.ts";

const invalid = (message: string, field: string) =>
  new AppError("input.invalid", message, { field });

/** Licence fields that an operator may set; `null` clears a field, an absent field is unchanged. */
export interface LicenseChange {
  holder?: string | null;
  certType?: CertType;
  /** whether credits are counted */
  isCounted?: boolean;
  startDate?: string | null;
  expireDate?: string | null;
}

function checkDates(
  { startDate, expireDate }: Pick<StoredLicense, "startDate" | "expireDate">,
): void {
  for (const [field, date] of [["start_date", startDate], ["expire_date", expireDate]] as const) {
    if (date === null) continue;
    // checked as a date, because a pattern would allow impossible dates such as 31 February
    const isCalendarDay = day.safeParse(date).success &&
      new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
    if (!isCalendarDay) {
      throw invalid(`Cannot set the licence: ${field} is not a date YYYY-MM-DD`, field);
    }
  }
  if (startDate !== null && expireDate !== null && wholeDays(startDate, expireDate) < 0) {
    throw invalid("Cannot set the licence: it would end before it begins", "expire_date");
  }
}

/**
 * Refuses unsigned changes if a provider's key is trusted: only signed files change the licence.
 */
function checkUnsigned({ providerKey }: StoredLicense): void {
  if (providerKey === null) return;
  throw new AppError(
    "access.forbidden",
    "Cannot set the licence: this site takes signed licence files only",
  );
}

/**
 * Sets the given fields of the licence. @throws {AppError} `input.invalid`;
 * `access.forbidden` if only signed files may change it.
 */
export async function setLicense(db: Database, change: LicenseChange): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const license = await readLicense(tx);
    checkUnsigned(license);
    const { isCounted: counts, ...rest } = change;
    checkDates({
      startDate: license.startDate,
      expireDate: license.expireDate,
      ...withoutAbsent(rest),
    });
    const otherLimits = license.limits.filter((name) => name !== USE_LIMIT);
    await updateLicense(tx, {
      ...rest,
      ...(counts === undefined
        ? {}
        : { limits: counts ? [...otherLimits, USE_LIMIT] : otherLimits }),
    }, nowIso());
  });
}

const withoutAbsent = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Partial<T>;

async function addCredits(tx: Database, amount: number): Promise<number> {
  const balance = await changeCredits(tx, amount);
  if (balance === null) {
    throw invalid("Cannot change the credits: fewer would be left than none", "credits");
  }
  await insertCredit(tx, {
    ...instant(Date.now()),
    kind: "grant",
    amount,
    balance,
    pid: null,
    user_id: null,
    analysis_id: null,
  });
  return balance;
}

/**
 * Adds credits; a negative number removes credits.
 * @returns remaining credits, and whether credits are counted.
 * @throws {AppError} `input.invalid` if fewer than 0 credits would remain,
 * `access.forbidden` as {@link setLicense}.
 */
export async function grantCredits(
  db: Database,
  amount: number,
): Promise<{ balance: number; isCounted: boolean }> {
  if (!Number.isInteger(amount) || amount === 0 || Math.abs(amount) > 10_000_000) {
    throw invalid("Cannot change the credits: a whole number other than 0 is needed", "credits");
  }
  return await db.transaction().execute(async (tx) => {
    const license = await readLicense(tx);
    checkUnsigned(license);
    return { balance: await addCredits(tx, amount), isCounted: isCounted(license.limits) };
  });
}

/**
 * Trusts a provider's public key: from then on,
 * only licence files signed with its private key are accepted.
 * @param pem Ed25519 public key of the provider.
 * @throws {AppError} `input.invalid`; `access.forbidden` if a key is trusted already.
 */
export async function trustProvider(db: Database, pem: string): Promise<void> {
  const key = publicKey(pem);
  await db.transaction().execute(async (tx) => {
    checkUnsigned(await readLicense(tx));
    await updateLicense(
      tx,
      { providerKey: key.export({ type: "spki", format: "pem" }).toString() },
      nowIso(),
    );
  });
}

function publicKey(pem: string) {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch { /* said below */ }
  throw invalid("Cannot read the key: it is not an Ed25519 public key in PEM", "key");
}

/**
 * Creates a signed licence file. @param privatePem Ed25519 private key of the provider.
 * @throws {AppError} `input.invalid`.
 */
export function signLicense(grant: LicenseGrant, privatePem: string): string {
  let key;
  try {
    key = createPrivateKey(privatePem);
  } catch {
    throw invalid("Cannot read the key: it is not a private key in PEM", "key");
  }
  if (key.asymmetricKeyType !== "ed25519") {
    throw invalid("Cannot sign: the key is not an Ed25519 key", "key");
  }
  checkDates({ startDate: grant.start_date, expireDate: grant.expire_date });
  const payload = Buffer.from(JSON.stringify(licenseGrant.parse(grant))).toString("base64url");
  const signature = sign(null, new TextEncoder().encode(payload), key).toString("base64url");
  return JSON.stringify({ payload, signature }, null, 2) + "\n";
}

function openFile(text: string, providerPem: string): LicenseGrant {
  const refused = invalid(
    "Cannot take the licence file: it is not one, or not signed by the provider",
    "file",
  );
  try {
    const { payload, signature } = licenseFile.parse(JSON.parse(text));
    const bytes = new TextEncoder().encode(payload),
      signed = new Uint8Array(Buffer.from(signature, "base64url"));
    if (!verify(null, bytes, publicKey(providerPem), signed)) throw refused;
    return licenseGrant.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
  } catch {
    throw refused;
  }
}

/**
 * Imports a signed licence file: its dates, limit and kind replace the current ones.
 * The file's credits are added to the current credits.
 * @returns remaining credits.
 * @throws {AppError} `input.invalid` for a wrong signature, or a file imported before.
 */
export async function applyLicenseFile(db: Database, text: string): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const { providerKey, credits } = await readLicense(tx);
    if (providerKey === null) {
      throw invalid("Cannot take the licence file: no provider's key is trusted yet", "key");
    }
    const grant = openFile(text, providerKey);
    const dates = { startDate: grant.start_date, expireDate: grant.expire_date };
    checkDates(dates);
    if (!await insertLicenseFile(tx, grant.serial, nowIso())) {
      throw invalid("Cannot take the licence file: it has been taken before", "file");
    }
    const { holder, limit: limits } = grant;
    await updateLicense(tx, { ...dates, holder, limits, certType: grant.cert_type }, nowIso());
    return grant.credits === 0 ? credits : await addCredits(tx, grant.credits);
  });
}

/** Parses a certificate type. @throws {AppError} `input.invalid`. */
export function certTypeOf(name: string): CertType {
  const parsed = certType.safeParse(name.toUpperCase());
  if (parsed.success) return parsed.data;
  throw invalid(
    `Cannot set the licence: the kind must be one of ${certType.options.join(", ")}`,
    "cert_type",
  );
}
