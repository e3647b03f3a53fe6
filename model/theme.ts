/** Colour scheme of the pages: light, dark, or the system's. */
export const THEMES = ["light", "dark", "system"] as const;
export type Theme = (typeof THEMES)[number];

/**
 * Cookie that stores the chosen colour scheme: the server renders pages with it, which avoids a
 * flash of the wrong scheme.
 */
export const THEME_COOKIE = "theme";
