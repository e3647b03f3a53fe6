import { signal } from "@preact/signals-react";
import type { Language } from "@/model/text.ts";

const texts = signal<typeof import("@/model/text/regions.ts") | null>(null);

/**
 * Name of a part of the brain; empty until the names have been fetched, which come after the page: they are long. Reads a
 * signal.
 */
export function partNameLater(part: string, side: "L" | "R" | "", language: Language): string {
  const known = texts.value;
  if (known !== null) return known.sidedPartName(part, side, language);
  // on the server and in the first render of the browser alike there are none
  if (typeof document !== "undefined") {
    void import("@/model/text/regions.ts").then((loaded) => texts.value = loaded, () => {
      // the percentile stands alone
    });
  }
  return "";
}
