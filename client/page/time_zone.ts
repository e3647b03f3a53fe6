import { createContext, useContext } from "react";
import { dayIn } from "@/model/time/site_time.ts";
import { readPageState } from "@/client/page/page_state.ts";

export const TimeZoneContext = createContext("UTC");

/** Time zone of the hospital: all instants are shown in it, also to a user in another time zone. */
export const useTimeZone = (): string => useContext(TimeZoneContext);

/** Today at the hospital, YYYY-MM-DD. */
export const useToday = (): string => dayIn(useTimeZone(), Date.now());

let zoneOfPage: string | undefined;
/** Time zone of the hospital, for code outside of components. Browser only. */
export const siteTimeZone = (): string => zoneOfPage ??= readPageState().timeZone;

/** {@link useToday} for code outside of components. Browser only. */
export const siteToday = (): string => dayIn(siteTimeZone(), Date.now());
