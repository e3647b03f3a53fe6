import type { Audience, ServerEvent } from "@/model/schema/events.ts";
import type { Followed, Following, TokenOwner } from "@/edge/web/site.ts";

export type Listener = (event: ServerEvent, audience: Audience) => void;

/** How a core in another process says who somebody is and what happened. */
export interface CoreVoice {
  verifyToken(token: string): Promise<TokenOwner | null>;
  isSessionOpen(sid: string): Promise<boolean>;
  follow(followed: Followed): Promise<Following>;
  /** A token that was just refused or given back. */
  forget(token: string): void;
  /** The core was found to be away. */
  lost(): void;
  close(): void;
}
