import type * as z from "zod/mini";
import type { Sample } from "@/server/wire/metrics.ts";
import { AppError } from "@/model/errors.ts";
import type { Audience, ServerEvent } from "@/model/schema/site/events.ts";

/** Who a token belongs to, as the core says. */
export interface TokenOwner {
  uid: number;
  sid: string;
}

/** A browser's socket at this edge that wants the events of a core in another process. */
export interface Subscriber {
  owner: TokenOwner;
  /** the latest access token of its session; `null` when that has ended */
  token(): Promise<string | null>;
  /** No more events come: the socket closes, and its page reads again when it reconnects. */
  lost(): void;
}
export interface Subscription {
  /** The session has another token now. @returns the owner of the socket from now on. */
  renew(owner: TokenOwner): TokenOwner;
  end(): void;
}

/** Gets an event with the people who may see it. */
export type Listener = (event: ServerEvent, audience: Audience) => void;

/** The API behind the edge: in this process, or in another one. */
export interface CoreLink {
  /** The API as one Fetch-shaped function; bodies are streamed both ways. */
  fetch(request: Request): Promise<Response>;
  /**
   * The value that a core in this process has serialised by this very schema; `undefined` for other
   * responses.
   */
  cachedValue?(answer: Response, schema: z.ZodMiniType): unknown;
  /** Every event of the core with who may hear it; the returned function ends the subscription. */
  subscribe(listener: Listener): () => void;
  /** Figures of the core; absent where it is in another process, which shows its own. */
  metrics?(): Promise<Sample[]>;
  /** Owner of an access token or of a single-use socket ticket; `null` when it is not valid. */
  verifyToken(token: string): Promise<TokenOwner | null>;
  /**
   * It gives tickets for sockets: no lasting token need stand in an address, and none is taken
   * there.
   */
  hasTickets?: boolean;
  /**
   * Whether a session has not ended; absent where the API cannot tell, sockets then live until they
   * are closed.
   */
  isSessionOpen?(sid: string): Promise<boolean>;
  /**
   * Connects a browser's socket to the core: once this resolves, its events reach the listeners.
   * Absent where they do anyway.
   * @throws AppError `core.unreachable`.
   */
  addSubscriber?(subscriber: Subscriber): Promise<Subscription>;
}

/** Identity and events of a core in another process. */
export interface CoreTransport {
  verifyToken(token: string): Promise<TokenOwner | null>;
  isSessionOpen(sid: string): Promise<boolean>;
  addSubscriber(subscriber: Subscriber): Promise<Subscription>;
  /** Drops the cached owner of a token that the core refused or that was given back. */
  forget(token: string): void;
  /** Ends all sockets, because the core is away. */
  lost(): void;
  close(): void;
}

/** Writes to the program's log: a level, a message, and fields without patient data. */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  fields?: Record<string, unknown>,
) => void;

/** Calls the core. @throws AppError `core.unreachable` without an answer; an abort is passed on. */
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
 * Reads a core's JSON answer. @throws AppError `core.unreachable` when it does not match the
 * schema.
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
