import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { User } from "@/model/schema/user.ts";
import type { Language } from "@/model/text.ts";
import { LanguageContext } from "@/client/language.ts";
import { UserContext } from "@/client/user.ts";

interface IslandFrameProps {
  queryClient: QueryClient;
  language: Language;
  user: User | null;
  children: ReactNode;
}

/** What stands around every island, on the server and in the browser alike. */
export function IslandFrame({ queryClient, language, user, children }: IslandFrameProps) {
  return (
    <QueryClientProvider client={queryClient}>
      <LanguageContext.Provider value={language}>
        <UserContext.Provider value={user}>{children}</UserContext.Provider>
      </LanguageContext.Provider>
    </QueryClientProvider>
  );
}
