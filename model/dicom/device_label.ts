import type { AboutManual } from "@/model/schema/site/about.ts";

/** Model number of the device label (D1 §1). */
export const DEVICE_MODEL = "VN-M-06";

/**
 * Whether a text can be the code of a label's revision, as the manufacturer prints it.
 * Allowed are letters, digits and `. - / _`, with spaces between.
 */
export const isLabelRevision = (code: string): boolean =>
  /^[A-Za-z0-9][A-Za-z0-9 ./_-]{0,31}$/.test(code);

/** Name under which the manual is saved (D1 §7); the default when the product is not known. */
export function manualFileName(manual: AboutManual | null): string {
  if (!manual) return "User Manual.pdf";
  return `${manual.product} ${manual.version} User Manual (${manual.cert_type}).pdf`;
}

/**
 * Web address for display: git addresses become plain http (D1 §2); empty for other addresses.
 */
export function shownLink(link: string): string {
  const plain = link.replace(/^git\+(?=https?:)/, "");
  return /^https?:\/\//.test(plain) ? plain : "";
}
