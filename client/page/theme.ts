import { type Theme, THEME_COOKIE, THEMES } from "@/model/theme.ts";

/** How the page looks now. */
export const currentTheme = (): Theme =>
  THEMES.find((theme) => theme === document.documentElement.dataset.theme) ?? "light";

/** Shows the page in a theme at once, and keeps the choice for a year. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=31536000; samesite=strict`;
}
