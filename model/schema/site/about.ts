import * as z from "zod/mini";
import { certType } from "@/model/schema/studies/study.ts";

/** Answer of `GET /api/v1/about/manual`: the manual as a file. */
export const aboutManual = z.object({
  product: z.string(),
  version: z.string(),
  cert_type: certType,
  /** revision of the device label for this certificate; `null` when the site has none */
  label_revision: z.optional(z.nullable(z.string())),
});
export type AboutManual = z.infer<typeof aboutManual>;

/** `GET /api/v1/about/manual/text`: Markdown, see model/site/manual.ts. */
export const aboutManualText = z.object({ content: z.string() });
export type AboutManualText = z.infer<typeof aboutManualText>;

/** `GET /api/v1/about/terms`: plain text, never shown as HTML. */
export const aboutTerms = z.object({ content: z.string() });
export type AboutTerms = z.infer<typeof aboutTerms>;

const licenseItem = z.object({ name: z.string(), link: z.string(), license_type: z.string() });
export type LicenseItem = z.infer<typeof licenseItem>;

/** `GET /api/v1/about/license`: packages of the server and, as `front_end`, of the pages. */
export const aboutLicense = z.object({
  licenses: z.array(licenseItem),
  front_end: z.optional(z.array(licenseItem)),
});
export type AboutLicense = z.infer<typeof aboutLicense>;

/** Language of the texts in About; for any other value the default is used. */
export const aboutQuery = z.object({ language: z.optional(z.enum(["en", "ko"])) });
