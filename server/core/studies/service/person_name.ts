/**
 * A DICOM person name as people read it: components (`^`) by spaces, component groups (`=`: alphabetic,
 * ideographic, phonetic) by ` / `. PS3.5 §6.2.
 */
export const displayName = (name: string): string =>
  name.split("=")
    .map((group) => group.split("^").map((part) => part.trim()).filter((part) => part !== "").join(" "))
    .filter((group) => group !== "")
    .join(" / ");
