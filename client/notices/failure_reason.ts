import { type ErrorCode } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { loadedLater } from "@/client/page/loaded_later.ts";

const reasons = loadedLater(() => import("@/model/text/analysis.ts"));
const messages = loadedLater(() => import("@/client/notices/messages.ts"));

/**
 * Text for the reason of a failed analysis; `null` if unknown, or until the texts are loaded.
 * Reads a signal.
 */
export function reasonTextOf(reason: string | undefined, language: Language): string | null {
  const texts = reason === undefined ? null : reasons();
  return texts?.isAnalysisReason(reason!)
    ? textIn(texts.analysisReasonText[reason!], language)
    : null;
}

/**
 * Text of an error for a page that seldom shows errors and loads the texts on demand;
 * `null` until the texts are loaded. Reads a signal.
 */
export const messageLater = (code: ErrorCode, language: Language): string | null =>
  messages()?.messageOf(code, {}, language) ?? null;
