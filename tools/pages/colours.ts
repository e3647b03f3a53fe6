/** A colour on light pages, and its replacement on dark pages. */
type Pair = readonly [light: string, dark: string];

/**
 * Colours of the product: blue-green for actions, warm colours for states that need attention. Some
 * shades split into text, background and border colours on dark pages: text must be light there,
 * but the background of white text must stay dark.
 */
export const COLOURS = {
  "ink": ["#1b2a33", "#e4ebef"],
  "ink-soft": ["#4a5c67", "#b3c0c8"],
  "ink-faint": ["#586a75", "#95a4ae"],
  "line": ["#dde5ea", "#2c3b45"],
  // colour of the edges of boxes and buttons: contrast 3:1 on paper and canvas (WCAG 1.4.11)
  "line-strong": ["#7f919b", "#6b7d88"],
  "canvas": ["#f4f7f9", "#10181d"],
  "paper": ["#ffffff", "#18232a"],
  "brand-50": ["#eef6f8", "#1d313a"],
  "brand-100": ["#d6e9ee", "#22434f"],
  "brand-200": ["#b0d4de", "#2b5a6a"],
  "brand-500": ["#23778f", "#4ba3ba"],
  "brand-600": ["#176279", "#3b90a8"],
  "text-brand-600": ["#176279", "#7cc4d6"],
  "text-brand-700": ["#154f62", "#8bcfdf"],
  "text-brand-800": ["#164252", "#a8dde9"],
  "text-red-700": ["#b91c1c", "#ff9d96"],
  "red-50": ["#fef2f2", "#3a1b1b"],
  "border-red-600": ["#dc2626", "#d5645c"],
  "border-red-700": ["#b91c1c", "#d5645c"],
  "text-amber-700": ["#b45309", "#f2c66d"],
  "text-amber-800": ["#92400e", "#f2c66d"],
  "text-amber-900": ["#78350f", "#f6d58f"],
  "amber-50": ["#fffbeb", "#33290f"],
  "border-amber-300": ["#fcd34d", "#7d6120"],
  "border-amber-600": ["#d97706", "#b58a2c"],
  "text-emerald-700": ["#047857", "#6fd3a4"],
  "text-emerald-800": ["#065f46", "#6fd3a4"],
  "emerald-50": ["#ecfdf5", "#13301f"],
  "row-done": ["#f2f5f7", "#1c2830"],
  "row-edge": ["#e6edf1", "#2c3b45"],
  "row-shade": ["#eef1f3", "#212f38"],
  "backdrop": ["rgba(10, 32, 41, .48)", "rgba(0, 0, 0, .6)"],
} as const satisfies Record<string, Pair>;
type ColourName = keyof typeof COLOURS;

/** Colours for users who request more contrast: low-contrast colours become stronger. */
const MORE_CONTRAST: Partial<Record<ColourName, Pair>> = {
  "ink-soft": ["#2c3a43", "#dbe3e8"],
  "ink-faint": ["#2c3a43", "#dbe3e8"],
  "line": ["#5c6b75", "#8c9ca7"],
  "line-strong": ["#3f4e58", "#b3c0c8"],
  "row-edge": ["#5c6b75", "#8c9ca7"],
  "brand-500": ["#154f62", "#8bcfdf"],
};

/** A colour of the page's theme, for stylesheets. */
export const colour = (name: ColourName) => `var(--${name})`;

const declarations = (colours: Partial<Record<ColourName, Pair>>, shade: 0 | 1) =>
  Object.entries(colours).map(([name, pair]) => `--${name}:${pair[shade]}`).join(";");

const darkRules = (rules: string, condition = "") =>
  `@media screen${condition}{html[data-theme="dark"]${rules}}
@media screen${condition} and (prefers-color-scheme:dark){html[data-theme="system"]${rules}}`;

/**
 * CSS values of the colours: light by default and on every report sheet; dark if the page or, for
 * an automatic theme, the system requests it. Paper is always light.
 */
export const themeRules = (): string => {
  const more = " and (prefers-contrast:more)";
  return `:root,.report-sheet{color-scheme:light;${declarations(COLOURS, 0)}}
${darkRules(`{color-scheme:dark;${declarations(COLOURS, 1)}}`)}
@media screen${more}{:root{${declarations(MORE_CONTRAST, 0)}}}
${darkRules(`{${declarations(MORE_CONTRAST, 1)}}`, more)}`;
};
