import { type Theme, THEME_COOKIE, THEMES } from "@/model/theme.ts";

/** Current theme of the page: light, dark or system. */
export const currentTheme = (): Theme =>
  THEMES.find((theme) => theme === document.documentElement.dataset.theme) ?? "light";

/** Applies a theme immediately and stores the choice for a year. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=31536000; samesite=strict`;
}
