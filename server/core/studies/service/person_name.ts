/**
 * A DICOM person name for display (PS3.5 §6.2). Spaces separate components (`^`), and ` / ` groups
 * (`=`: alphabetic, ideographic, phonetic). Equal groups are shown once.
 */
export function displayName(name: string): string {
  const groups = name.split("=")
    .map((group) =>
      group.split("^").map((part) => part.trim()).filter((part) => part !== "").join(" ")
    )
    .filter((group) => group !== "");
  return [...new Set(groups)].join(" / ");
}
