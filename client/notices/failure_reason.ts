import { signal } from "@preact/signals-react";
import { isErrorCode } from "@/model/errors.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { type Language, textIn } from "@/model/text.ts";

type Texts = typeof import("@/model/text/analysis.ts") & typeof import("@/client/notices/messages.ts");
const texts = signal<Texts | null>(null);

async function loadTexts(): Promise<void> {
  const [reasons, messages] = await Promise.all([
    import("@/model/text/analysis.ts"),
    import("@/client/notices/messages.ts"),
  ]);
  texts.value = { ...reasons, ...messages };
}

/**
 * Why the analysis of a study failed, in words; empty until the texts, which only lists with a failure need, have been
 * fetched. Reads a signal.
 */
export function failureReasonOf(
  { code, reason }: NonNullable<PatientRow["analysis_error"]>,
  language: Language,
): string {
  const known = texts.value;
  if (known === null) {
    // on the server and in the first render of the browser alike there are none
    if (typeof document !== "undefined") {
      void loadTexts().catch(() => {
        // the tooltip says that it failed
      });
    }
    return "";
  }
  return reason !== undefined && known.isAnalysisReason(reason)
    ? textIn(known.analysisReasonText[reason], language)
    : known.messageOf(isErrorCode(code) ? code : "internal", {}, language);
}
