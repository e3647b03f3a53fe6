/** How pages look: light, dark, or as the person's system says. */
export const THEMES = ["light", "dark", "system"] as const;
export type Theme = (typeof THEMES)[number];

/**
 * Name of the cookie that keeps the choice: the server writes it into the page, so that none is
 * shown in another one first.
 */
export const THEME_COOKIE = "theme";
