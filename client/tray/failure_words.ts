import { textIn } from "@/model/text.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { pacsText } from "@/model/text/worklist/pacs.ts";
import type { Pull } from "@/model/schema/connections/pacs.ts";
import type { Language } from "@/model/text.ts";

/** Text for the reason of an archive's failure, followed by the archive's own message. */
export function failureWords(
  { failure, text }: NonNullable<Pull["failure"]>,
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

/** Text for a connection failure stored as `kind/message of the other system`. */
export function storedFailureWords(stored: string, language: Language): string {
  const [failure = "", ...rest] = stored.split("/");
  return failureWords({ failure, text: rest.join("/") }, language);
}
