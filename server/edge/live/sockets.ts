import { AppError } from "@/model/errors.ts";
import { type Audience, clientEvent, type ServerEvent } from "@/model/schema/site/events.ts";
import { TICKET_PREFIX } from "@/model/schema/accounts/auth.ts";
import type { RequestInfo } from "@/server/edge/web/connections.ts";
import { bearerOf } from "@/server/edge/session/bearer.ts";
import { isHttps } from "@/server/edge/web/client_address.ts";
import { MessageBudget } from "@/server/edge/web/web_socket.ts";
import { isFromBrowser, isSameOrigin } from "@/server/edge/web/security.ts";
import type { Sessions } from "@/server/edge/session/sessions.ts";
import type { CoreLink, Log, Subscription, TokenOwner } from "@/server/edge/remote/core_link.ts";
import type { SiteContext } from "@/server/edge/web/site.ts";

/**
 * Maximum number of unsent bytes. A socket with more is closed; the page reconnects and refetches.
 */
const MAX_BUFFERED_BYTES = 1 << 20;
/** Maximum message length, because reading longer messages would block other requests. */
const MAX_MESSAGE_CHARS = 1 << 14;
/** Idle time after which a socket is pinged, and closed when no pong arrives, s. */
const IDLE_TIMEOUT_S = 30;
/**
 * Interval of session checks, ms: a socket is closed at most this plus {@link CLOSE_TIMEOUT_MS}
 * later.
 */
const SWEEP_INTERVAL_MS = 30_000;
/** Delay before a page's socket is closed, so that the page can show why the session ended. */
const CLOSE_TIMEOUT_MS = 5000;
/** Close codes; after 1011 and 1013 a page reconnects soon. */
const SLOW_CONSUMER = 1013, TOO_LONG = 1009, CORE_AWAY = 1011, SESSION_ENDED = 4401;
/** Maximum number of sockets on this edge, and of one session. */
const MAX_SOCKETS = 4000, MAX_OF_SESSION = 50;
/** Maximum number of sessions looked up concurrently. */
const SESSIONS_PER_SWEEP = 64;

/** Session or token that authenticates a socket. */
interface SocketSession {
  /** true: a program with a token; false: a page with a session cookie */
  readonly isProgram: boolean;
  /** current access token; `null` when the session has ended */
  token(): Promise<string | null>;
  /** stores a renewed token sent by a program */
  renewed(token: string): void;
}

class ProgramSession implements SocketSession {
  readonly isProgram = true;
  constructor(private latest: string) {}
  token(): Promise<string> {
    return Promise.resolve(this.latest);
  }
  renewed(token: string): void {
    this.latest = token;
  }
}

class PageSession implements SocketSession {
  readonly isProgram = false;
  constructor(private readonly sessions: Sessions, private readonly secret: string | null) {}
  async token(): Promise<string | null> {
    return this.secret === null ? null : await this.sessions.tokenOf(this.secret, true);
  }
  renewed(): void {}
}

/**
 * @param mayReceive Counts each message; `false` closes the socket before the message is handled.
 * If absent, the socket has a budget of its own.
 * @throws AppError `input.invalid` for an invalid handshake.
 */
export function upgradeSocket(
  context: SiteContext,
  mayReceive?: () => boolean,
): Deno.WebSocketUpgrade {
  // uses `upgrade` of the edge's own server; Deno's server, used in tests, upgrades by the request
  const { upgrade = Deno.upgradeWebSocket } = (context.env ?? {}) as Partial<RequestInfo>;
  try {
    return upgrade(context.req.raw, { idleTimeout: IDLE_TIMEOUT_S, mayReceive });
  } catch (cause) {
    throw new AppError("input.invalid", "Cannot open a socket: its handshake is not whole", {}, {
      cause,
    });
  }
}

interface Client {
  /** `null` until the socket is open */
  socket: WebSocket | null;
  owner: TokenOwner;
  session: SocketSession;
  /**
   * connection to the core, which ends with the socket; `null`: events arrive without a connection
   */
  following: Subscription | null;
}

/**
 * All browser sockets of this edge, fed by one subscription to the core.
 * Events for one user are sent to that user's sockets, `auth_multi_login` too,
 * although only the session that must end is concerned.
 */
export class Sockets {
  /** browser sockets that receive the core's events */
  readonly #clients = new Set<Client>();
  /** sessions by socket, from accepting the socket until the connection has ended */
  readonly #admitted = new Map<Client, string>();
  /** messages by user, over all sockets of that user */
  readonly #messages = new MessageBudget<number>();
  readonly #unsubscribe: () => void;
  readonly #sweep: ReturnType<typeof setInterval>;

  constructor(
    private readonly core: CoreLink,
    private readonly log: Log,
    private readonly limits = { sockets: MAX_SOCKETS, ofSession: MAX_OF_SESSION },
  ) {
    this.#unsubscribe = core.subscribe((event, audience) => {
      this.send(event, audience);
      // a page shows the reason before it leaves; a program's socket is simply closed
      if (event.event === "auth_multi_login") void this.closeEnded(true);
    });
    this.#sweep = setInterval(
      () => void this.closeEnded(false, CLOSE_TIMEOUT_MS),
      SWEEP_INTERVAL_MS,
    );
    Deno.unrefTimer(this.#sweep as unknown as number);
  }

  get size(): number {
    return this.#clients.size;
  }

  /** Sends an event to all users, one user, or one session. Serialised once. */
  send(event: ServerEvent, { uid, sid }: Audience = {}): void {
    const text = JSON.stringify(event);
    for (const client of this.#clients) {
      if (uid !== undefined && client.owner.uid !== uid) continue;
      if (sid !== undefined && client.owner.sid !== sid) continue;
      const { socket } = client;
      if (socket?.readyState !== WebSocket.OPEN) continue;
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) {
        this.log("warn", "Cutting a slow socket", { bufferedBytes: socket.bufferedAmount });
        this.#drop(client, SLOW_CONSUMER, "slow consumer");
        continue;
      }
      socket.send(text);
    }
  }

  /**
   * Handles an upgrade request. @throws AppError
   * `access.forbidden`, `token.missing`, `server.busy`, `call.too_often`.
   */
  async accept(context: SiteContext): Promise<Response> {
    const request = context.req.raw;
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      throw new AppError("input.invalid", "Cannot open a socket: no upgrade was asked for");
    }
    if (isFromBrowser(request) && !isSameOrigin(request, isHttps(context))) {
      throw new AppError("access.forbidden", "Cannot open a socket: it comes from another origin");
    }
    this.#checkRoom();
    const { sessions } = context.var.site;
    const inAddress = new URL(request.url).searchParams.get("token");
    if (inAddress !== null && this.core.hasTickets && !inAddress.startsWith(TICKET_PREFIX)) {
      throw new AppError(
        "token.missing",
        "Cannot open a socket: a lasting token stands in its address",
      );
    }
    const token = inAddress ?? bearerOf(request);
    const client = await this.#addSubscriber(
      token !== null
        ? new ProgramSession(token)
        : new PageSession(sessions, sessions.secretOf(context)),
    );
    try {
      this.#checkRoom(client.owner.sid);
      this.#checkMessages(client.owner.uid);
      this.#admitted.set(client, client.owner.sid);
      const { uid } = client.owner;
      const { socket, response } = upgradeSocket(context, () => this.#messages.take(uid));
      client.socket = socket;
      this.#add(client, socket);
      return response;
    } catch (error) {
      this.#admitted.delete(client);
      client.following?.end();
      throw error;
    }
  }

  /** @throws {AppError} `server.busy` if the site or session has the maximum number of sockets. */
  #checkRoom(sid?: string): void {
    if (this.#admitted.size >= this.limits.sockets) {
      throw new AppError("server.busy", "Cannot open a socket: there are too many");
    }
    const ofSession = [...this.#admitted.values()].filter((each) => each === sid).length;
    if (ofSession >= this.limits.ofSession) {
      throw new AppError("server.busy", "Cannot open a socket: the session has too many");
    }
  }

  /** @throws {AppError} `call.too_often` while a user's sockets have sent too many messages. */
  #checkMessages(uid: number): void {
    const seconds = this.#messages.secondsUntilRoom(uid);
    if (seconds === 0) return;
    throw new AppError("call.too_often", "Cannot open a socket: too many messages", { seconds });
  }

  /**
   * Subscribes a new socket to the core's events. A separate function, so that closures do
   * not keep the large request object in memory.
   */
  async #addSubscriber(session: SocketSession): Promise<Client> {
    const token = await session.token();
    const owner = token ? await this.core.verifyToken(token) : null;
    if (owner === null) {
      throw new AppError("token.missing", "Cannot open a socket: nobody is signed in");
    }
    const client: Client = { socket: null, owner, session, following: null };
    let isLost = false;
    const lost = () => {
      isLost = true;
      if (client.socket !== null) this.#drop(client, CORE_AWAY, "core away");
    };
    client.following =
      await this.core.addSubscriber?.({ owner, token: () => session.token(), lost }) ?? null;
    if (isLost) throw new AppError("core.unreachable", "Cannot open a socket: the core is away");
    return client;
  }

  #add(client: Client, socket: WebSocket): void {
    socket.onopen = () => this.#clients.add(client);
    socket.onclose = () => {
      this.#admitted.delete(client);
      this.#clients.delete(client);
      client.following?.end();
    };
    socket.onerror = () => void this.#clients.delete(client);
    // one message at a time: a wrong token closes the socket before the next one is looked up
    let turn = Promise.resolve();
    socket.onmessage = ({ data }) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      turn = turn.then(async () => {
        if (socket.readyState === WebSocket.OPEN) await this.#receive(client, data);
      }).catch((error) => {
        // only this socket fails when the core is unreachable; other sockets continue
        this.log("warn", "Cannot renew a socket", { error: String(error) });
        this.#drop(client, CORE_AWAY, "token not checked");
      });
    };
  }

  /** Handles `auth_token_update`: the socket continues with a renewed token of the same user. */
  async #receive(client: Client, data: unknown): Promise<void> {
    if (typeof data === "string" && data.length > MAX_MESSAGE_CHARS) {
      return this.#drop(client, TOO_LONG, "message too long");
    }
    let json: unknown;
    try {
      json = typeof data === "string" ? JSON.parse(data) : null;
    } catch {
      json = null;
    }
    const message = clientEvent.safeParse(json);
    if (!message.success) return;
    const { token } = message.data, { following } = client;
    // a page has no token and sends "": the session's current token is used
    const owner = token === "" ? client.owner : await this.core.verifyToken(token);
    if (owner?.uid !== client.owner.uid) {
      return this.#drop(client, SESSION_ENDED, "token not accepted");
    }
    if (token !== "") client.session.renewed(token);
    client.owner = following?.renew(owner) ?? owner;
  }

  /**
   * Closes the sockets of ended sessions after a delay; `onlyPrograms` skips the sockets of pages.
   */
  async closeEnded(onlyPrograms = false, afterMs = 0): Promise<void> {
    const clients = [...this.#clients].filter(({ session }) => session.isProgram || !onlyPrograms);
    for (let i = 0; i < clients.length; i += SESSIONS_PER_SWEEP) {
      await Promise.all(
        clients.slice(i, i + SESSIONS_PER_SWEEP).map(async (client) => {
          const alive = await this.#isAlive(client).catch(() => true);
          if (!alive) this.#dropEnded(client, afterMs);
        }),
      );
    }
  }

  #dropEnded(client: Client, afterMs: number): void {
    const drop = () => this.#drop(client, SESSION_ENDED, "session ended");
    if (afterMs === 0) return drop();
    Deno.unrefTimer(setTimeout(drop, afterMs) as unknown as number);
  }

  /** Whether the session of a socket is still open. */
  async #isAlive({ session, owner }: Client): Promise<boolean> {
    return (session.isProgram || await session.token() !== null) &&
      await this.core.isSessionOpen?.(owner.sid) !== false;
  }

  #drop(client: Client, code: number, reason: string): void {
    this.#clients.delete(client);
    client.following?.end();
    client.socket?.close(code, reason);
  }

  /** Closes all browser sockets. */
  leave(): void {
    for (const client of this.#clients) this.#drop(client, 1001, "server stops");
  }

  dispose(): void {
    clearInterval(this.#sweep);
    this.#unsubscribe();
    this.leave();
  }
}
