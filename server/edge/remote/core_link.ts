import type * as z from "zod/mini";
import type { Sample } from "@/server/wire/metrics.ts";
import { AppError } from "@/model/errors.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";

/** User and session that a token belongs to, as reported by the core. */
export interface TokenOwner {
  uid: number;
  sid: string;
}

/** A browser's socket at this edge that subscribes to events of a remote core. */
export interface Subscriber {
  owner: TokenOwner;
  /** current access token of the subscriber's session; `null` for an ended session */
  token(): Promise<string | null>;
  /**
   * called when no more events will arrive: the socket closes, and the page refetches on
   * reconnecting
   */
  lost(): void;
}
export interface Subscription {
  /** Called when the session has a new token. @returns the updated owner of the socket. */
  renew(owner: TokenOwner): TokenOwner;
  end(): void;
}

/** Receives events with the recipients of each event. */
export type Listener = (event: ServerEvent, audience: Audience) => void;

/** The API behind the edge: in this process, or remote. */
export interface CoreLink {
  /** The API as a Fetch-like function; bodies are streamed both ways. */
  fetch(request: Request): Promise<Response>;
  /**
   * Returns the value that a core in this process serialised with a schema; `undefined` otherwise.
   */
  cachedValue?(answer: Response, schema: z.ZodMiniType): unknown;
  /**
   * Subscribes to all events of the core with the recipients; the returned function unsubscribes.
   */
  subscribe(listener: Listener): () => void;
  /** Metrics of the core; absent for a remote core, which serves its metrics itself. */
  metrics?(): Promise<Sample[]>;
  /** Owner of an access token or a single-use socket ticket; `null` for an invalid one. */
  verifyToken(token: string): Promise<TokenOwner | null>;
  /**
   * whether the core issues tickets for sockets
   * addresses then contain no long-lived token, and none is accepted in addresses
   */
  hasTickets?: boolean;
  /**
   * Whether a session is open. Absent if the API cannot answer this:
   * sockets then stay open until the client closes them.
   */
  isSessionOpen?(sid: string): Promise<boolean>;
  /**
   * Connects a browser's socket to the core, of which events then reach the listeners.
   * Absent if all events arrive without this call.
   * @throws AppError `core.unreachable`.
   */
  addSubscriber?(subscriber: Subscriber): Promise<Subscription>;
}

/** Authentication and events of a remote core. */
export interface CoreTransport {
  verifyToken(token: string): Promise<TokenOwner | null>;
  isSessionOpen(sid: string): Promise<boolean>;
  addSubscriber(subscriber: Subscriber): Promise<Subscription>;
  /** Drops the cached owner of a token that the core refused or that was signed out. */
  forget(token: string): void;
  /** Closes all sockets, because the core is unreachable. */
  lost(): void;
  close(): void;
}

/** Writes to the program's log: level, message, and fields; never patient data. */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

/**
 * Calls the core. @throws AppError `core.unreachable` without a response; an abort is passed on.
 */
export async function fetchCore(
  core: Pick<CoreLink, "fetch">,
  request: Request,
): Promise<Response> {
  try {
    return await core.fetch(request);
  } catch (cause) {
    if (request.signal.aborted) throw cause;
    throw new AppError("core.unreachable", "Cannot reach the core", {}, { cause });
  }
}

/**
 * Parses a core's JSON response.
 * @throws AppError `core.unreachable` for a response that does not match the schema.
 */
export async function readResponse<T extends z.ZodMiniType>(
  answer: Response,
  schema: T,
): Promise<z.output<T>> {
  let value: unknown = null;
  try {
    value = await answer.json();
  } catch { /* it matches no schema either */ }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw new AppError("core.unreachable", "Cannot read the core's answer: unknown form");
  }
  return parsed.data;
}
