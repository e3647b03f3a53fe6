import type { ErrorCode, ErrorDetails } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { errorText, missingDetailText } from "@/model/text/errors.ts";
import { licenseText } from "@/model/text/account/license.ts";

/** Text of an error in a language, with the error's details filled in. */
export function messageOf(code: ErrorCode, details: ErrorDetails, language: Language): string {
  const values: Record<string, string> = {};
  for (const [key, text] of Object.entries(missingDetailText)) values[key] = textIn(text, language);
  for (const [key, value] of Object.entries(details)) {
    if (value !== undefined) values[key] = Array.isArray(value) ? value.join(", ") : String(value);
  }
  const isDemo = code === "license.expired" && details.cert_type === "DEMO";
  return textIn(isDemo ? licenseText.expiredDemo : errorText[code], language, values);
}
