import { createContext, type ReactElement } from "react";

/**
 * Markup of a part of an island, which is rendered only when there is none yet.
 * @param key Everything that the part is made of, what has been written before first (`writtenOnce`); it finds no other
 *   contexts and makes no ids of its own (`useId`).
 */
export type KeepMarkup = (key: readonly [object, object], of: () => ReactElement) => string;

/** `null` in the browser, which draws everything by itself. */
export const KeepMarkupContext = createContext<KeepMarkup | null>(null);
