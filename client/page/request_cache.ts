import type { QueryClient } from "@tanstack/react-query";
import { createContext } from "react";

/** Query cache of the server request that renders an island; `null` in the browser. */
export const RequestCacheContext = createContext<QueryClient | null>(null);
