import { createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";
import { BodyBudget, readBody } from "@/server/wire/body.ts";
import { AppError } from "@/model/errors.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";
import type { CoreLink, Log } from "@/server/edge/remote/core_link.ts";
import type { SiteContext } from "@/server/edge/web/site.ts";
import { upgradeSocket } from "@/server/edge/live/sockets.ts";

/** Paths of the calls that a core offers to edges. */
export const EDGE_CALLS = {
  events: "/api/v1/edge/events",
  tokens: "/api/v1/edge/tokens",
  sessions: "/api/v1/edge/sessions",
} as const;
/** Interval of heartbeats, ms; an edge without heartbeats knows that the socket is dead. */
export const HEARTBEAT_MS = 10_000;
/** Maximum number of unsent bytes. An edge with more is disconnected, and pages refetch. */
const MAX_BUFFERED_BYTES = 16 << 20;
const MAX_BODY_BYTES = 1 << 20;
const BODY_BUDGET = new BodyBudget(16 << 20);

const tokenQuestion = z.object({ token_list: z.array(z.string()).check(z.maxLength(1000)) });
const sessionQuestion = z.object({ sid_list: z.array(z.string()).check(z.maxLength(1000)) });
/** owners of the tokens, in the order of the request; `null`: invalid token */
export const tokenResponse = z.object({
  owner_list: z.array(z.nullable(z.object({ uid: z.number(), sid: z.string() }))),
});
/** ids of the requested sessions that are open */
export const sessionResponse = z.object({ sid_list: z.array(z.string()) });

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Answers page servers (edges) in other processes: events of the core, owners of tokens, sessions.
 * Callers must send the key shared by both processes.
 * Without a configured key these calls do not exist.
 */
export class EdgeService {
  readonly #key: Uint8Array | null;
  readonly #edges = new Set<WebSocket>();
  readonly #beat: ReturnType<typeof setInterval> | undefined;
  readonly #unsubscribe: () => void = () => {};

  constructor(private readonly core: CoreLink, key: string | null, private readonly log: Log) {
    this.#key = key === null ? null : digest(key);
    if (key === null) return;
    this.#unsubscribe = core.subscribe((event, audience) => this.#send(event, audience));
    this.#beat = setInterval(() => this.#sendText("{}"), HEARTBEAT_MS);
    Deno.unrefTimer(this.#beat as unknown as number);
  }

  /** Handles the upgrade to the socket that carries all events with the recipients. */
  events(context: SiteContext): Response {
    const request = this.#check(context);
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      throw new AppError("input.invalid", "Cannot open a socket: no upgrade was asked for");
    }
    const { socket, response } = upgradeSocket(context);
    socket.onopen = () => void this.#edges.add(socket);
    socket.onclose = socket.onerror = () => void this.#edges.delete(socket);
    return response;
  }

  /** Responds with the owners of access tokens or tickets. This uses up a ticket. */
  async tokens(context: SiteContext): Promise<Response> {
    const { token_list } = await bodyOf(this.#check(context), tokenQuestion);
    const owner_list = await Promise.all(token_list.map((token) => this.core.verifyToken(token)));
    return jsonResponse(tokenResponse, { owner_list });
  }

  async sessions(context: SiteContext): Promise<Response> {
    const { sid_list } = await bodyOf(this.#check(context), sessionQuestion);
    const open = await Promise.all(sid_list.map((sid) => this.core.isSessionOpen?.(sid) ?? true));
    return jsonResponse(sessionResponse, { sid_list: sid_list.filter((_, i) => open[i]) });
  }

  /** Closes the sockets of all edges. */
  leave(): void {
    for (const socket of this.#edges) socket.close(1001, "server stops");
  }

  dispose(): void {
    this.#unsubscribe();
    clearInterval(this.#beat);
    this.leave();
  }

  #check(context: SiteContext): Request {
    const request = context.req.raw;
    if (this.#key === null) {
      throw new AppError("entity.not_found", "Cannot answer an edge: there is no key");
    }
    const key = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    // compares digests, which have the equal length that a constant-time comparison requires
    if (!timingSafeEqual(digest(key), this.#key)) {
      this.log("warn", "Refusing an edge: its key is another one");
      throw new AppError("access.forbidden", "Cannot answer an edge: its key is another one");
    }
    return request;
  }

  #send(event: ServerEvent, audience: Audience): void {
    if (this.#edges.size > 0) this.#sendText(JSON.stringify({ event, audience }));
  }

  #sendText(text: string): void {
    for (const socket of this.#edges) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      if (socket.bufferedAmount <= MAX_BUFFERED_BYTES) {
        socket.send(text);
        continue;
      }
      this.log("warn", "Cutting a slow edge", { bufferedBytes: socket.bufferedAmount });
      this.#edges.delete(socket);
      socket.close(1013, "slow consumer");
    }
  }
}

async function bodyOf<T extends z.ZodMiniType>(request: Request, schema: T): Promise<z.output<T>> {
  const bytes = await readBody(request.body, { maxBytes: MAX_BODY_BYTES, budget: BODY_BUDGET });
  let value: unknown = null;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch { /* it keeps to no schema either */ }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw new AppError("input.invalid", "Cannot read the body: not what was asked for");
  }
  return parsed.data;
}

const jsonResponse = <T extends z.ZodMiniType>(schema: T, value: z.input<T>): Response =>
  Response.json(schema.parse(value), { headers: { "cache-control": "no-store" } });
