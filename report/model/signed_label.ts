import { formatInstant } from "@/report/model/format.ts";
import type { SignedText } from "@/model/schema/report/report_text.ts";
import { type Language, textIn } from "@/model/text.ts";
import { signedLabelText } from "@/model/text/report/report_text.ts";

/**
 * Line printed above a signed text, with author and time.
 * Includes a warning if the results changed after the signature.
 */
export function signedLabel(
  { author, signed_at, is_outdated: isOutdated }: Pick<
    SignedText,
    "author" | "signed_at" | "is_outdated"
  >,
  language: Language,
  timeZone?: string,
): string {
  const at = formatInstant(signed_at, timeZone), t = signedLabelText;
  const text = isOutdated
    ? author === "" ? t.outdatedAlone : t.outdated
    : author === ""
    ? t.signedAlone
    : t.signed;
  return textIn(text, language, { author, at });
}
