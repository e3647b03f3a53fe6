/**
 * Converts a DICOM person name (PS3.5 §6.2) for display: spaces separate its components (`^`).
 * ` / ` separates groups (`=`: alphabetic, ideographic, phonetic); equal groups appear once.
 */
export function displayName(name: string): string {
  const groups = name.split("=")
    .map((group) =>
      group.split("^").map((part) => part.trim()).filter((part) => part !== "").join(" ")
    )
    .filter((group) => group !== "");
  return [...new Set(groups)].join(" / ");
}
