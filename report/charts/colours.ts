/** Colours of the printed report, used for PDF and page; distinguishable in a grey print. */
export const REPORT_COLOURS = {
  ink: "#1b2a33",
  soft: "#4a5c67",
  line: "#c9d4da",
  hair: "#e3eaee",
  brand: "#154f62",
  tint: "#eef6f8",
  bandWide: "#dbe9ee",
  bandNarrow: "#b4d0da",
  curve: "#23778f",
  track: "#e3eaee",
  notice: "#fff6e0",
  noticeLine: "#d9a400",
  demo: "#8a6500",
} as const;

/** Colours of a percentile in text (INK) and on a percentile scale (SHADE), by strength 0..3. */
export const BAND_INK = ["#1b2a33", "#8a5a00", "#a3211a", "#a3211a"] as const;
export const BAND_SHADE = ["#e3eaee", "#f0d9a8", "#dd9a90", "#b9564c"] as const;
