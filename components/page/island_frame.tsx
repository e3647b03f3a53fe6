import type { QueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { User } from "@/model/schema/accounts/user.ts";
import type { Language } from "@/model/text.ts";
import { LanguageContext, usePageLanguage } from "@/client/page/language.ts";
import { RequestCacheContext } from "@/client/page/request_cache.ts";
import { TimeZoneContext } from "@/client/page/time_zone.ts";
import { UserContext } from "@/client/page/user.ts";

interface IslandFrameProps {
  /**
   * query cache of the request on the server;
   * `null` in the browser, where a page without queries loads none
   */
  queryClient: QueryClient | null;
  language: Language;
  /** time zone of the site, IANA name */
  timeZone: string;
  user: User | null;
  children: ReactNode;
}

/** React contexts around every island, on the server and in the browser. */
export function IslandFrame({ queryClient, language, timeZone, user, children }: IslandFrameProps) {
  const pageLanguage = usePageLanguage(language);
  return (
    <RequestCacheContext.Provider value={queryClient}>
      <LanguageContext.Provider value={pageLanguage}>
        <TimeZoneContext.Provider value={timeZone}>
          <UserContext.Provider value={user}>
            {children}
          </UserContext.Provider>
        </TimeZoneContext.Provider>
      </LanguageContext.Provider>
    </RequestCacheContext.Provider>
  );
}
