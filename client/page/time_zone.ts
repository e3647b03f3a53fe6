import { createContext, useContext } from "react";

export const TimeZoneContext = createContext("UTC");

/** The hospital's time zone: instants are shown in it, wherever the reader sits. */
export const useTimeZone = (): string => useContext(TimeZoneContext);
