import { hydrate, QueryCache, QueryClient } from "@tanstack/react-query";
import { AppError, ERRORS } from "@/model/errors.ts";
import { readPageState } from "@/client/page/page_state.ts";
import { presentError } from "@/client/notices/present_error.ts";

/**
 * Reports an ended session or outdated data for the whole page.
 * A panel that has no data yet shows the error itself.
 */
function presentQueryError(error: unknown, hasData: boolean): void {
  const surface = error instanceof AppError ? ERRORS[error.code].surface : "toast";
  if (hasData || surface === "modal" || (error instanceof AppError && error.status === 401)) {
    presentError(error);
  }
}

/**
 * Query cache shared by all islands of a page. Nothing is refetched on a timer:
 * the socket reports changes, and a reconnect refetches the visible queries.
 */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => presentQueryError(error, query.state.data !== undefined),
  }),
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: Infinity,
      gcTime: 3000,
      refetchOnMount: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // "online" means internet access to a browser, which a hospital network may lack
      networkMode: "always",
    },
  },
});

if (typeof document !== "undefined") hydrate(queryClient, readPageState().queries);
