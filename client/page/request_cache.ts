import type { QueryClient } from "@tanstack/react-query";
import { createContext } from "react";

/** Cache of the request that renders an island on the server; `null` in the browser. */
export const RequestCacheContext = createContext<QueryClient | null>(null);
