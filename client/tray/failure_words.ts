import { textIn } from "@/model/text.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import { type ConnectionFailure, readFailure } from "@/model/connections/failure.ts";
import type { Language } from "@/model/text.ts";

/** Text for the reason of an archive's failure, followed by the archive's own message. */
export function failureWords(
  { failure, text }: ConnectionFailure,
  language: Language,
): string {
  if (failure === "incomplete") return textIn(pacsText.failure_incomplete, language, { text });
  const words = failure === "no_images"
    ? textIn(pacsText.failure_no_images, language)
    : connectionFailure(failure, language);
  return [words, text].filter(Boolean).join(": ");
}

function connectionFailure(failure: string, language: Language): string {
  const key = `failure_${failure}`;
  return Object.hasOwn(connectionText, key)
    ? textIn(connectionText[key as "failure_timeout"], language)
    : failure;
}

/** Text for a stored connection failure. */
export const storedFailureWords = (stored: string, language: Language): string =>
  failureWords(readFailure(stored), language);
