import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, useContext } from "react";
import { liveCache } from "@/client/live/live_cache.ts";
import { setPageCache } from "@/client/live/live_updates.ts";
import { queryClient } from "@/client/page/query.ts";
import { RequestCacheContext } from "@/client/page/request_cache.ts";

/**
 * Wraps an island that uses queries: the page's cache in the browser, updated by socket events,
 * and the request's cache on the server. Islands without queries do not load the query package.
 */
export function withQueries<P extends object>(Island: ComponentType<P>): ComponentType<P> {
  return function IslandWithQueries(props: P) {
    const requestCache = useContext(RequestCacheContext);
    return (
      <QueryClientProvider client={requestCache ?? queryClient}>
        <Island {...props} />
      </QueryClientProvider>
    );
  };
}

setPageCache(liveCache);
