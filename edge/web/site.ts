import type { Context } from "hono";
import type * as z from "zod/mini";
import type { Audience, ServerEvent } from "@/model/schema/events.ts";
import type { Language } from "@/model/text.ts";
import type { Manifest } from "@/edge/pages/manifest.ts";
import type { Sessions } from "@/edge/session/sessions.ts";
import type { EdgeService } from "@/edge/remote/edge_service.ts";
import type { Sockets } from "@/edge/live/sockets.ts";

/** Who a token belongs to, as the core says. */
export interface TokenOwner {
  uid: number;
  sid: string;
}

/** A socket of this edge, as a core elsewhere is followed for it. */
export interface Subscriber {
  owner: TokenOwner;
  /** the latest access token of its session; `null` when that has ended */
  token(): Promise<string | null>;
  /** Nothing is heard any more: the socket closes, and its page reads again when it is back. */
  lost(): void;
}
export interface Subscription {
  /** The session has another token now. @returns whose the socket is from now on. */
  renew(owner: TokenOwner): TokenOwner;
  end(): void;
}

/** The API behind the edge: in this process, or elsewhere. */
export interface CoreLink {
  /** The API as one Fetch-shaped function; bodies are streamed both ways. */
  fetch(request: Request): Promise<Response>;
  /** What stands in an answer that a core in this process has made by this very schema; `undefined` in all others. */
  cachedValue?(answer: Response, schema: z.ZodMiniType): unknown;
  /** Every event of the core with who may hear it; the returned function ends the subscription. */
  subscribe(listener: (event: ServerEvent, audience: Audience) => void): () => void;
  /** Owner of an access token or of a single-use socket ticket; `null` when it is not valid. */
  verifyToken(token: string): Promise<TokenOwner | null>;
  /** Whether a session has not ended; absent where the API cannot tell, sockets then live until they are closed. */
  isSessionOpen?(sid: string): Promise<boolean>;
  /**
   * Hears the core for a socket: from the answer on, its events reach the subscribers. Absent where they do anyway.
   * @throws AppError `core.unreachable`.
   */
  addSubscriber?(subscriber: Subscriber): Promise<Subscription>;
}

/** How a request is written to the program's log: a level, a message, and fields without patient data. */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

/** What every handler of the edge can reach through `context.var.site`. */
export interface Site {
  core: CoreLink;
  sessions: Sessions;
  sockets: Sockets;
  /** what other edges ask of the core behind this one */
  edgeService: EdgeService;
  manifest: Manifest;
  log: Log;
  /** whether a proxy at this address is believed about whom it forwards, and over what */
  isTrustedProxy: (address: string) => boolean;
  /** origin of a user service elsewhere; `null`: that of the core */
  userService: string | null;
  /** of a request that tells none */
  defaultLanguage: Language;
}

export interface SiteEnv {
  Variables: {
    site: Site;
    /** names the request in logs, problem details and the `x-request-id` header */
    requestId: string;
  };
}
export type SiteContext = Context<SiteEnv>;
