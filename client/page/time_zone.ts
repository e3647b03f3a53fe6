import { createContext, useContext } from "react";
import { dayIn } from "@/model/time/site_time.ts";
import { readPageState } from "@/client/page/page_state.ts";

export const TimeZoneContext = createContext("UTC");

/** The hospital's time zone: instants are shown in it, wherever the reader sits. */
export const useTimeZone = (): string => useContext(TimeZoneContext);

/** Today at the hospital, YYYY-MM-DD. */
export const useToday = (): string => dayIn(useTimeZone(), Date.now());

let zoneOfPage: string | undefined;
/** The hospital's time zone where no component asks. Browser only. */
export const siteTimeZone = (): string => zoneOfPage ??= readPageState().timeZone;

/** {@link useToday} where no component asks. Browser only. */
export const siteToday = (): string => dayIn(siteTimeZone(), Date.now());
