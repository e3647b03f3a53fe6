import { signal } from "@preact/signals-react";
import { type Language, textIn } from "@/model/text.ts";

const texts = signal<typeof import("@/model/text/analysis.ts") | null>(null);

/**
 * Why a series could not be analysed, in words; `null` for an unknown reason, and until the texts, which only
 * lists with a failure need, have been fetched. Reads a signal.
 */
export function reasonTextOf(reason: string | undefined, language: Language): string | null {
  if (reason === undefined) return null;
  const known = texts.value;
  if (known === null) {
    // on the server and in the first render of the browser alike there are none
    if (typeof document !== "undefined") {
      void import("@/model/text/analysis.ts").then((loaded) => texts.value = loaded, () => {
        // without them the text of the error's code stands there
      });
    }
    return null;
  }
  return known.isAnalysisReason(reason) ? textIn(known.analysisReasonText[reason], language) : null;
}
