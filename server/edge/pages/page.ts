import type { QueryClient } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { createContext } from "react";
import type { Api } from "@/client/api/http.ts";
import type { User } from "@/model/schema/accounts/user.ts";
import type { LinkProblem } from "@/model/launch/launch_link.ts";
import type { Language } from "@/model/text.ts";
import type { PictureService } from "@/server/edge/first_picture/picture_service.ts";

/** Data of the request for a page, for the page and its loader. */
export interface PageRequest {
  url: URL;
  /** values of the `[name]` segments of the route */
  params: Record<string, string>;
  language: Language;
  /** the signed-in user; `null` on public pages */
  user: User | null;
}

/** Additional tools of a loader: the API with the user's session, and the islands' query cache. */
export interface LoaderRequest extends PageRequest {
  /** API client with the user's session; in-process when the core is in this process */
  api: Api;
  /** query cache to prefetch into; the page contains the cache in dehydrated form */
  queryClient: QueryClient;
  /** host of the system that contained the link; "" without one */
  launchedFrom: string;
  /** reads a cookie of the browser; undefined without one */
  cookie: (name: string) => string | undefined;
  /** renders pictures of viewer pages on the server; absent when disabled */
  pictures: PictureService | null;
}

export interface PageProps<Data = unknown> {
  data: Data;
  page: PageRequest;
}

/**
 * A module in `routes/`. A page exports a component as default;
 * an API module exports functions named by HTTP method.
 */
export interface PageModule {
  default?: ComponentType<PageProps<never>>;
  /** `public`: the page needs no sign-in */
  access?: "public";
  /** the page exists only in development builds */
  isDevOnly?: boolean;
  title?: string | Record<Language, string>;
  /** CSS class names of the page's `<body>` */
  bodyClass?: string;
  /** whether users read the page before using it: scripts are loaded after the first paint */
  isReadFirst?: boolean;
  /**
   * Loads data. A Response ends the request (redirect, file). An AppError selects the error page.
   */
  loader?: (request: LoaderRequest) => unknown;
  /** HTTP status of the page; default 200 */
  status?: number;
  /** HTTP status depending on the loader's data */
  statusOf?: (data: never) => number;
  /**
   * parses a link from another system to this page; `null` for any other address
   * an invalid link is reported to everyone; other content requires sign-in
   */
  readLaunch?: (
    search: string,
    params: Record<string, string>,
  ) => { problem: LinkProblem } | object | null;
  /**
   * Whether a link on another site opens the page with the user's session, although the browser
   * does not send the session cookie with such a request; always so for {@link readLaunch}.
   */
  isLinkedTo?: boolean;
}

interface IslandFrameProps {
  queryClient: QueryClient;
  language: Language;
  timeZone: string;
  user: User | null;
  children: ReactNode;
}

/** Provides the React contexts of islands, on the server as in the browser. */
export type IslandFrame = (props: IslandFrameProps) => ReactNode;

/** State of one page during rendering, which the `Island` component reads. */
interface PageRender {
  queryClient: QueryClient;
  language: Language;
  /** time zone of the site: `TZ` of this process */
  timeZone: string;
  user: User | null;
  frame: IslandFrame;
  nonce: string;
  /** names of the islands rendered so far */
  islands: Set<string>;
}
export const PageRenderContext = createContext<PageRender | null>(null);

/** Initial state for the browser; embedded in the page as JSON. */
export interface PageState {
  language: Language;
  timeZone: string;
  user: User | null;
  queries: unknown;
  /** scripts of viewer and report that the page does not load itself */
  ahead?: Record<"viewer" | "report", readonly string[]>;
}
