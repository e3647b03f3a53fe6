import { createContext, useContext } from "react";
import { type Action, userMay } from "@/model/accounts/roles.ts";
import type { User } from "@/model/schema/accounts/user.ts";

export const UserContext = createContext<User | null>(null);

/** The signed-in user; `null` on public pages. */
export const useUser = (): User | null => useContext(UserContext);

/** Whether the signed-in user has a permission; without it, controls are hidden. */
export const useMay = (action: Action): boolean => userMay(useUser(), action);
