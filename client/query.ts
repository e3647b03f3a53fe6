import { QueryClient } from "@tanstack/react-query";

/**
 * The cache that every island of a page shares. Nothing is asked again by itself: the socket says what changed,
 * and a reconnected socket refetches what is on screen.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: Infinity,
      gcTime: 3000,
      refetchOnMount: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // the hospital's network has no internet, which is what the browser's "online" means
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});
