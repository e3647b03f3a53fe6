/**
 * A DICOM person name for display: components (`^`) separated by spaces, component groups (`=`:
 * alphabetic, ideographic, phonetic) by ` / `, equal groups once. PS3.5 §6.2.
 */
export function displayName(name: string): string {
  const groups = name.split("=")
    .map((group) =>
      group.split("^").map((part) => part.trim()).filter((part) => part !== "").join(" ")
    )
    .filter((group) => group !== "");
  return [...new Set(groups)].join(" / ");
}
