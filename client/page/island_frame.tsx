import type { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { User } from "@/model/schema/user.ts";
import type { Language } from "@/model/text.ts";
import { LanguageContext } from "@/client/page/language.ts";
import { RequestCacheContext } from "@/client/page/request_cache.ts";
import { UserContext } from "@/client/page/user.ts";

interface IslandFrameProps {
  /** the request's cache on the server; `null` in the browser, where a page without queries loads none */
  queryClient: QueryClient | null;
  language: Language;
  user: User | null;
  children: ReactNode;
}

/** What stands around every island, on the server and in the browser alike. */
export function IslandFrame({ queryClient, language, user, children }: IslandFrameProps) {
  return (
    <RequestCacheContext.Provider value={queryClient}>
      <LanguageContext.Provider value={language}>
        <UserContext.Provider value={user}>
          {children}
        </UserContext.Provider>
      </LanguageContext.Provider>
    </RequestCacheContext.Provider>
  );
}
