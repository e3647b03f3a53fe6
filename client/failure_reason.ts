import { signal } from "@preact/signals-react";
import { type Language, textIn } from "@/model/text.ts";

type Reasons = typeof import("@/model/text/upload.ts");
const reasons = signal<Reasons | null>(null);

/**
 * Why a series could not be analysed, in words; `null` for an unknown reason, and until the texts, which only
 * lists with a failure need, have been fetched. Reads a signal.
 */
export function reasonTextOf(reason: string | undefined, language: Language): string | null {
  if (reason === undefined) return null;
  const known = reasons.value;
  if (known === null) {
    if (typeof document !== "undefined") {
      void import("@/model/text/upload.ts").then((texts) => reasons.value = texts);
    }
    return null;
  }
  return known.isUploadReason(reason) ? textIn(known.uploadReasonText[reason], language) : null;
}
