import type { Context } from "hono";
import type { Language } from "@/model/text.ts";
import type { PictureService } from "@/server/edge/first_picture/picture_service.ts";
import type { Manifest } from "@/server/edge/pages/manifest.ts";
import type { CoreLink, Log } from "@/server/edge/remote/core_link.ts";
import type { Sessions } from "@/server/edge/session/sessions.ts";

/** Part of the core that serves edges in other processes. */
interface EdgeCalls {
  events(context: SiteContext): Response;
  tokens(context: SiteContext): Promise<Response>;
  sessions(context: SiteContext): Promise<Response>;
}

/** Browser sockets at this edge. */
interface BrowserSockets {
  accept(context: SiteContext): Promise<Response>;
  /** Closes sockets of ended sessions. */
  closeEnded(): Promise<void>;
}

/** State that every handler of the edge gets as `context.var.site`. */
export interface Site {
  core: CoreLink;
  sessions: Sessions;
  sockets: BrowserSockets;
  /** service for other edges, which use the core of this process */
  edgeService: EdgeCalls;
  manifest: Manifest;
  pictures: PictureService | null;
  log: Log;
  /** whether forwarding headers of a proxy at this address are trusted */
  isTrustedProxy: (address: string) => boolean;
  /** origin of an external user service; `null`: that of the core */
  userService: string | null;
  /** language for a request that states none */
  defaultLanguage: Language;
}

export interface SiteEnv {
  Variables: {
    site: Site;
    /** request id for logs, problem details and the `x-request-id` header */
    requestId: string;
  };
}
export type SiteContext = Context<SiteEnv>;
