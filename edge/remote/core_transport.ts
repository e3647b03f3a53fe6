import type { Audience, ServerEvent } from "@/model/schema/events.ts";
import type { Subscriber, Subscription, TokenOwner } from "@/edge/web/site.ts";

export type Listener = (event: ServerEvent, audience: Audience) => void;

/** How a core in another process says who somebody is and what happened. */
export interface CoreTransport {
  verifyToken(token: string): Promise<TokenOwner | null>;
  isSessionOpen(sid: string): Promise<boolean>;
  addSubscriber(subscriber: Subscriber): Promise<Subscription>;
  /** A token that was just refused or given back. */
  forget(token: string): void;
  /** The core was found to be away. */
  lost(): void;
  close(): void;
}
