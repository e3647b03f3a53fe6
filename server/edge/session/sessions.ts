import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Context } from "hono";
import { latestCredible } from "@/model/time/stored_time.ts";
import { AppError } from "@/model/errors.ts";
import { type CoreLink, readResponse } from "@/server/edge/remote/core_link.ts";
import { type LoginTokens, refreshedTokens, secondsOf } from "@/server/edge/session/core_tokens.ts";
import { readCookie, removeCookie, writeCookie } from "@/server/edge/session/cookies.ts";

const SESSION_COOKIE = "sulcus_session";

/** Time limits of a session, ms. */
interface SessionLimits {
  idleMs: number;
  absoluteMs: number;
}
const DEFAULT_LIMITS: SessionLimits = { idleMs: 30 * 60_000, absoluteMs: 12 * 3_600_000 };
/** Time before the expiry of an access token at which it is renewed, ms. */
const RENEW_BEFORE_MS = 30_000;
/** Minimum interval between two updates of a session's time of last use, ms. */
const TOUCH_INTERVAL_MS = 10_000;

/** Maximum number of sessions with cached tokens. */
const MAX_CACHED_SESSIONS = 1000;

interface Tokens {
  access: string;
  refresh: string;
  /** time at which the access token expires, ms since the epoch */
  accessExpiresAt: number;
}
interface SessionRow {
  id: string;
  tokens: Uint8Array;
  created_at: number;
  last_used_at: number;
}

const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");
const keyOf = (secret: string) =>
  new Uint8Array(hkdfSync("sha256", secret, "sulcus edge session", "tokens", 32));

function seal(secret: string, tokens: Tokens): Uint8Array {
  const iv = randomBytes(12), cipher = createCipheriv("aes-256-gcm", keyOf(secret), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(tokens), "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}
function unseal(secret: string, bytes: Uint8Array): Tokens {
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return JSON.parse(
    Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8"),
  );
}

/** Runs a writing statement. @throws {AppError} `storage.full`, `storage.read_only`. */
function written<T>(run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (/database or disk is full/i.test(String(cause))) {
      throw new AppError("storage.full", "Cannot write the session: the disk is full", {}, {
        cause,
      });
    }
    if (!/readonly database|disk I\/O error|unable to open/i.test(String(cause))) throw cause;
    const message = "Cannot write the session: the disk takes no changes";
    throw new AppError("storage.read_only", message, {}, { cause });
  }
}

/** Like {@link written}, for writes that may fail until disk space is available again. */
function writeIfSpace(run: () => void): void {
  try {
    written(run);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/**
 * Sessions of users signed in through this edge. The browser has a random secret in a cookie. The
 * file contains the SHA-256 of the secret, and the tokens encrypted with the secret, so that
 * neither file nor cookie alone gives access. A session ends after 30 min without use or 12 h in
 * total.
 */
export class Sessions {
  readonly #database: DatabaseSync;
  readonly #statements: Readonly<
    Record<"find" | "insert" | "delete" | "touch" | "renew", StatementSync>
  >;
  /**
   * Tokens of recently used sessions by their encrypted form.
   * Decryption takes longer than all other work of a request.
   */
  readonly #opened = new Map<string, { sealed: Uint8Array; tokens: Tokens }>();
  readonly #renewals = new Map<string, Promise<string | null>>();

  /** @param file Path of the SQLite file, created with mode 600; `:memory:` in tests. */
  constructor(
    file: string,
    private readonly core: CoreLink,
    private readonly limits: SessionLimits = DEFAULT_LIMITS,
    private readonly now: () => number = Date.now,
  ) {
    if (file !== ":memory:") {
      Deno.openSync(file, { create: true, write: true, mode: 0o600 }).close();
    }
    this.#database = new DatabaseSync(file);
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS session (
        id TEXT PRIMARY KEY,
        tokens BLOB NOT NULL,
        created_at INTEGER NOT NULL,
        last_used_at INTEGER NOT NULL
      ) STRICT;
    `);
    this.#statements = {
      find: this.#database.prepare("SELECT * FROM session WHERE id = ?"),
      insert: this.#database.prepare("INSERT INTO session VALUES (?, ?, ?, ?)"),
      delete: this.#database.prepare("DELETE FROM session WHERE id = ?"),
      touch: this.#database.prepare("UPDATE session SET last_used_at = ? WHERE id = ?"),
      renew: this.#database.prepare("UPDATE session SET tokens = ? WHERE id = ?"),
    };
    this.deleteExpired();
  }

  /** Opens a session with the tokens of a successful sign-in and sets the session's cookie. */
  open(context: Context, answer: LoginTokens): void {
    const { access_token, refresh_token } = answer;
    this.close(context);
    const secret = randomBytes(32).toString("base64url"), now = this.now();
    const accessExpiresAt = now + secondsOf(answer, now) * 1000;
    const tokens = { access: access_token, refresh: refresh_token ?? "", accessExpiresAt };
    written(() => this.#statements.insert.run(hashOf(secret), seal(secret, tokens), now, now));
    writeCookie(context, SESSION_COOKIE, secret, Math.floor(this.limits.absoluteMs / 1000));
  }

  /** Deletes the session and cookie of a request; does nothing without a session. */
  close(context: Context): void {
    this.end(context);
    if (readCookie(context, SESSION_COOKIE)) removeCookie(context, SESSION_COOKIE);
  }

  /**
   * Deletes the session of a request after the core ended the session. The cookie is kept: another
   * tab may have signed in since, and would lose the new cookie.
   */
  end(context: Context): void {
    const secret = readCookie(context, SESSION_COOKIE);
    if (secret !== undefined) this.#delete(hashOf(secret));
  }

  /**
   * Valid access token for a request's session, renewed shortly before expiry; `null` without a
   * session. Counts as use of the session unless `isPassive`.
   */
  async accessToken(context: Context, isPassive = false): Promise<string | null> {
    const secret = this.secretOf(context);
    return secret === null ? null : await this.tokenOf(secret, isPassive);
  }

  /** Secret of a request's session, which identifies an open socket; `null` without a session. */
  secretOf(context: Context): string | null {
    return readCookie(context, SESSION_COOKIE) || null;
  }

  /** Like {@link accessToken}, for the session identified by {@link secretOf}. */
  async tokenOf(secret: string, isPassive = false): Promise<string | null> {
    const id = hashOf(secret), now = this.now();
    const row = this.#find(id);
    if (row === null) return null;
    // last used in the future: the clock was set back, so the session's age is unknown
    const isAhead = row.last_used_at > latestCredible(now);
    if (
      isAhead || now - row.created_at > this.limits.absoluteMs ||
      now - row.last_used_at > this.limits.idleMs
    ) {
      this.#delete(id);
      return null;
    }
    let tokens: Tokens;
    try {
      tokens = this.#open(id, secret, row.tokens);
    } catch {
      this.#delete(id);
      return null;
    }
    if (!isPassive && now - row.last_used_at > TOUCH_INTERVAL_MS) {
      writeIfSpace(() => void this.#statements.touch.run(now, id));
    }
    return tokens.accessExpiresAt - now > RENEW_BEFORE_MS
      ? tokens.access
      : await this.#renew(id, secret, tokens);
  }

  /**
   * Renews the access token immediately, for example after the core ended the token.
   * `null` signs the user out.
   */
  async renew(context: Context): Promise<string | null> {
    const secret = readCookie(context, SESSION_COOKIE);
    const row = secret ? this.#find(hashOf(secret)) : null;
    if (!secret || row === null) return null;
    return await this.#renew(row.id, secret, unseal(secret, row.tokens));
  }

  deleteExpired(): void {
    const nowMs = this.now();
    writeIfSpace(() =>
      void this.#database.prepare("DELETE FROM session WHERE created_at < ? OR last_used_at < ?")
        .run(nowMs - this.limits.absoluteMs, nowMs - this.limits.idleMs)
    );
  }

  dispose(): void {
    this.#database.close();
  }

  /**
   * Decrypts the tokens of a row. The row's `id` is derived from the secret,
   * so that only the owner of the secret finds the row.
   */
  #open(id: string, secret: string, sealed: Uint8Array): Tokens {
    const opened = this.#opened.get(id);
    if (opened !== undefined && Buffer.compare(opened.sealed, sealed) === 0) return opened.tokens;
    const tokens = unseal(secret, sealed);
    if (this.#opened.size >= MAX_CACHED_SESSIONS) this.#opened.clear();
    this.#opened.set(id, { sealed, tokens });
    return tokens;
  }

  #find(id: string): SessionRow | null {
    const row = this.#statements.find.get(id);
    return row === undefined ? null : row as unknown as SessionRow;
  }

  #delete(id: string): void {
    this.#opened.delete(id);
    written(() => this.#statements.delete.run(id));
  }

  /** One renewal at a time per session, because a rotated refresh token is accepted once. */
  #renew(id: string, secret: string, tokens: Tokens): Promise<string | null> {
    const running = this.#renewals.get(id);
    if (running) return running;
    const renewal = this.#askForToken(id, secret, tokens).finally(() => this.#renewals.delete(id));
    this.#renewals.set(id, renewal);
    return renewal;
  }

  async #askForToken(id: string, secret: string, tokens: Tokens): Promise<string | null> {
    const answer = await this.core.fetch(
      new Request("http://core/api/v1/auth/refresh", {
        method: "POST",
        headers: { authorization: `Bearer ${tokens.refresh}` },
      }),
    );
    if (!answer.ok) {
      await answer.body?.cancel();
      // the session continues, because an unreachable core does not sign users out
      if (answer.status !== 401 && answer.status !== 403) {
        throw new AppError(
          "core.unreachable",
          `Cannot renew an access token: core answered ${answer.status}`,
        );
      }
      this.#delete(id);
      return null;
    }
    const tokensOf = await readResponse(answer, refreshedTokens), { access_token } = tokensOf;
    const nowMs = this.now();
    const renewed = {
      access: access_token,
      refresh: tokensOf.refresh_token ?? tokens.refresh,
      accessExpiresAt: nowMs + secondsOf(tokensOf, nowMs) * 1000,
    };
    written(() => this.#statements.renew.run(seal(secret, renewed), id));
    return access_token;
  }
}
