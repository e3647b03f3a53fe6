import type { QueryClient } from "@tanstack/react-query";
import type { ComponentType, ReactNode } from "react";
import { createContext } from "react";
import type { Api } from "@/client/api/http.ts";
import type { User } from "@/model/schema/accounts/user.ts";
import type { LinkProblem } from "@/model/launch/launch_link.ts";
import type { Language } from "@/model/text.ts";
import type { PictureService } from "@/server/edge/first_picture/picture_service.ts";

/** Facts of the request for a page and its loader. */
export interface PageRequest {
  url: URL;
  /** values of the `[name]` parts of the route */
  params: Record<string, string>;
  language: Language;
  /** who is signed in; `null` on public pages */
  user: User | null;
}

/**
 * Further means of a loader: the API in the user's name, and the cache that the islands start with.
 */
export interface LoaderRequest extends PageRequest {
  /** the API in the user's name, without leaving the process where the core is in it */
  api: Api;
  /** prefetch the islands' queries into it; it travels dehydrated in the page */
  queryClient: QueryClient;
  /** host of the system whose link leads here; "" without one */
  launchedFrom: string;
  /** cookie of the browser; undefined without one */
  cookie: (name: string) => string | undefined;
  /** draws the first pictures of viewer pages; absent where none are drawn */
  pictures: PictureService | null;
}

export interface PageProps<Data = unknown> {
  data: Data;
  page: PageRequest;
}

/**
 * A file of `routes/`. A page exports a component as default; an API module exports functions named
 * by method.
 */
export interface PageModule {
  default?: ComponentType<PageProps<never>>;
  /** `public` pages are shown without signing in */
  access?: "public";
  /** only development builds have the page */
  isDevOnly?: boolean;
  title?: string | Record<Language, string>;
  /** class names of `<body>` */
  bodyClass?: string;
  /**
   * The page is read before anything is pressed: its scripts are asked for when it has been drawn.
   */
  isReadFirst?: boolean;
  /** A Response ends the request (redirects, files). An AppError chooses the error page. */
  loader?: (request: LoaderRequest) => unknown;
  /** HTTP status of the page; 200 when not given */
  status?: number;
  /** HTTP status by the loader's data, where it is not always the same */
  statusOf?: (data: never) => number;
  /**
   * Reads a link of another system to this page; `null`: it is none. A problem of the link is shown
   * to everybody, as the page's data; everything else after signing in.
   */
  readLaunch?: (search: string) => { problem: LinkProblem } | object | null;
  /** Links of other sites find the session; those of {@link readLaunch} do anyway. */
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

/** State of one page while it is rendered; `Island` reads it. */
interface PageRender {
  queryClient: QueryClient;
  language: Language;
  /** the site's, as `TZ` of this process says */
  timeZone: string;
  user: User | null;
  frame: IslandFrame;
  nonce: string;
  /** names of the islands met so far */
  islands: Set<string>;
}
export const PageRenderContext = createContext<PageRender | null>(null);

/** Initial state of the browser; written into the page as JSON. */
export interface PageState {
  language: Language;
  timeZone: string;
  user: User | null;
  queries: unknown;
}
