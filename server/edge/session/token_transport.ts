import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";
import { type ServerEvent, serverEvent } from "@/model/schema/site/events.ts";
import {
  type CoreTransport,
  type Listener,
  readResponse,
  type Subscriber,
  type Subscription,
  type TokenOwner,
} from "@/server/edge/remote/core_link.ts";
import type { CoreClient } from "@/server/edge/remote/core_client.ts";
import { Upstream } from "@/server/edge/live/upstream.ts";

/** Cache time of token owners, ms; longer for the periodic check of all sockets. */
const KEPT_MS = 5000, KEPT_BY_SWEEP_MS = 20_000;
const MAX_CACHED_TOKENS = 10_000;
/** Interval at which renewed tokens are sent on sockets. */
const RENEW_INTERVAL_MS = 20_000;

const documentedUserResponse = z.object({ user_id: z.number() });
const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url");

/**
 * Converts an event of a core that implements only D1, in which most fields are optional: missing
 * fields are taken from the session that received the event. An unreadable change of studies
 * becomes `resync`. `null`: an unknown event.
 */
function parseDocumentedEvent(text: string, owner: TokenOwner): ServerEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (value === null || typeof value !== "object") return null;
  const { event } = value as { event?: unknown };
  const parsed = serverEvent.safeParse(value);
  if (parsed.success) return parsed.data;
  const filled = serverEvent.safeParse({
    scope: "group",
    sid: owner.sid,
    uid: owner.uid,
    ...value,
  });
  if (filled.success) return filled.data;
  return typeof event === "string" && event.startsWith("study_") ? { event: "resync" } : null;
}

interface CachedToken {
  owner: TokenOwner;
  /** time of expiry by performance.now(), ms */
  askedAt: number;
}

/**
 * Transport to a core that implements only D1 §7: `GET /user` returns the owner of a token,
 * and `/ws?token=` sends the events of one session.
 * Each session with a browser therefore has a separate socket to the core.
 */
export class TokenTransport implements CoreTransport {
  readonly #kept = new Map<string, CachedToken>();
  readonly #upstreams = new Map<string, Upstream>();
  /** token that was last sent on each socket */
  readonly #told = new Map<string, string>();
  readonly #renewal: ReturnType<typeof setInterval>;

  constructor(private readonly http: CoreClient, private readonly listener: Listener) {
    this.#renewal = setInterval(() => {
      for (const sid of this.#upstreams.keys()) void this.#renew(sid);
    }, RENEW_INTERVAL_MS);
    Deno.unrefTimer(this.#renewal as unknown as number);
  }

  async verifyToken(token: string, keptMs = KEPT_MS): Promise<TokenOwner | null> {
    const hash = hashOf(token), kept = this.#kept.get(hash);
    if (kept && performance.now() - kept.askedAt < keptMs) return kept.owner;
    this.#kept.delete(hash);
    const answer = await this.http.fetch(
      new Request("http://core/api/v1/user", { headers: { authorization: `Bearer ${token}` } }),
    );
    if (!answer.ok) {
      await answer.body?.cancel();
      if (answer.status === 401 || answer.status === 403) return null;
      throw new AppError(
        "core.unreachable",
        `Cannot ask whose a token is: answer ${answer.status}`,
      );
    }
    const { user_id } = await readResponse(answer, documentedUserResponse);
    const owner = { uid: user_id, sid: hash };
    this.#kept.set(hash, { owner, askedAt: performance.now() });
    if (this.#kept.size > MAX_CACHED_TOKENS) this.#kept.delete(this.#kept.keys().next().value!);
    return owner;
  }

  async isSessionOpen(sid: string): Promise<boolean> {
    const upstream = this.#upstreams.get(sid);
    if (!upstream) return true;
    const token = await upstream.token();
    return token !== null && await this.verifyToken(token, KEPT_BY_SWEEP_MS) !== null;
  }

  async addSubscriber(subscriber: Subscriber): Promise<Subscription> {
    const { sid } = subscriber.owner, token = await subscriber.token();
    if (token === null) {
      throw new AppError("token.missing", "Cannot hear the core: the session has ended");
    }
    const upstream = this.#upstreams.get(sid) ?? this.#open(subscriber.owner, token);
    try {
      return await upstream.addSubscriber(subscriber);
    } catch (cause) {
      throw new AppError("core.unreachable", "Cannot hear the core", {}, { cause });
    }
  }

  forget(token: string): void {
    this.#kept.delete(hashOf(token));
  }

  lost(): void {
    for (const upstream of [...this.#upstreams.values()]) upstream.end();
  }

  close(): void {
    clearInterval(this.#renewal);
    this.lost();
  }

  #open(owner: TokenOwner, token: string): Upstream {
    const { sid } = owner;
    const upstream: Upstream = new Upstream({
      connect: () => {
        const url = this.http.address("/api/v1/ws");
        url.searchParams.set("token", token);
        return { url };
      },
      client: this.http.socketClient,
      onMessage: (text) => {
        const event = parseDocumentedEvent(text, owner);
        if (event !== null) this.listener(event, owner);
      },
      onEnd: () => {
        if (this.#upstreams.get(sid) !== upstream) return;
        this.#upstreams.delete(sid);
        this.#told.delete(sid);
      },
      silenceMs: null,
      // keeps the socket to the core
      ownerOf: (subscriber) => subscriber.owner,
      onRenew: () => void this.#renew(sid),
    });
    this.#upstreams.set(sid, upstream);
    this.#told.set(sid, token);
    return upstream;
  }

  /** Sends a session's renewed token on its socket (D1 §4). */
  async #renew(sid: string): Promise<void> {
    const upstream = this.#upstreams.get(sid), token = await upstream?.token();
    if (!upstream || !token || token === this.#told.get(sid)) return;
    this.#told.set(sid, token);
    upstream.send(JSON.stringify({ event: "auth_token_update", token }));
  }
}
