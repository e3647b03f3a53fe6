import { AppError } from "@/model/errors.ts";
import { type CallLimits, CoreClient, CoreUnreachable } from "@/server/edge/remote/core_client.ts";
import type {
  CoreLink,
  CoreTransport,
  Listener,
  Log,
  Subscriber,
} from "@/server/edge/remote/core_link.ts";
import { fillResponse } from "@/server/edge/remote/fill_response.ts";
import type { ImageCache } from "@/server/edge/web/image_cache.ts";
import { KeyedTransport } from "@/server/edge/remote/keyed_transport.ts";
import { toProblem } from "@/server/edge/remote/problem_response.ts";
import { TokenTransport } from "@/server/edge/session/token_transport.ts";

interface RemoteCoreConfig {
  /** origin of the core, with a path if the API root is not `/` */
  url: string;
  /** key that core and edge share; `null`: the core implements only D1 §7 and D2 §7 */
  key: string | null;
  /** cache for image files on this machine's disk; `null`: none */
  cache?: ImageCache | null;
  limits?: CallLimits;
  /** additional trusted certificates (PEM) */
  ca?: string;
  log?: Log;
}

/** A core in another process. */
interface RemoteCore extends CoreLink {
  close(): void;
}

const bearerOf = (request: Request) =>
  /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;

/** Calls the core. @throws AppError `core.unreachable` without a response, after calling `away`. */
async function answered<T>(
  away: (error: CoreUnreachable) => void,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof CoreUnreachable)) throw cause;
    away(cause);
    throw new AppError("core.unreachable", "Cannot reach the core", {}, { cause });
  }
}

/** Connects an edge to a core in another process. No call is made before the first request. */
export function openRemoteCore(config: RemoteCoreConfig): RemoteCore {
  const { url, key, limits, ca, cache = null, log = () => {} } = config;
  const http = new CoreClient(url, { limits, ca }), listeners = new Set<Listener>();
  const tell: Listener = (event, audience) => {
    for (const listener of listeners) listener(event, audience);
  };
  const transport: CoreTransport = key === null
    ? new TokenTransport(http, tell)
    : new KeyedTransport(http, key, tell, log);
  let isAway = false;
  const away = (error: CoreUnreachable) => {
    if (!isAway) log("warn", "The core does not answer", { error: String(error.cause ?? error) });
    isAway = true;
    // a single failed call does not close the sockets
    void http.isThere().then((isThere) => isThere || transport.lost());
  };
  const fetchCore = async (request: Request): Promise<Response> => {
    const bearer = bearerOf(request);
    const isLogout = new URL(request.url).pathname === "/api/v1/auth/logout";
    const send = (one: Request) => http.fetch(one);
    const answer = await (key === null ? fillResponse(request, send) : send(request));
    if (isAway) log("info", "The core answers again");
    isAway = false;
    // closes the session's sockets, even if the token's owner is cached
    if (bearer !== null && (isLogout || answer.status === 401)) transport.forget(bearer);
    return await toProblem(request, answer);
  };
  return {
    fetch: (request) =>
      answered(away, () => cache?.fetch(request, fetchCore) ?? fetchCore(request)),
    // uses paths of D1 for a core that implements only D1 §7
    hasTickets: key !== null,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    verifyToken: (token) => answered(away, () => transport.verifyToken(token)),
    isSessionOpen: (sid) => answered(away, () => transport.isSessionOpen(sid)),
    addSubscriber: (subscriber: Subscriber) =>
      answered(away, () => transport.addSubscriber(subscriber)),
    close() {
      transport.close();
      http.close();
    },
  };
}
