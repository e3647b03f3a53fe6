import { createContext, useContext } from "react";
import type { User } from "@/model/schema/user.ts";

export const UserContext = createContext<User | null>(null);

/** Who is signed in; `null` on public pages. */
export const useUser = (): User | null => useContext(UserContext);
