import * as z from "zod/mini";
import { normalForm } from "@/model/normal_form.ts";
import { conclusion } from "@/model/schema/report/finding.ts";
import { isoInstant } from "@/model/schema/studies/study.ts";
import { LANGUAGES } from "@/model/text.ts";
import { typedText, withoutHidden } from "@/model/schema/typed_text.ts";

/**
 * Maximum characters and lines of a physician's text: it must fit on one page in either language.
 */
export const MAX_REPORT_TEXT = 3000, MAX_REPORT_TEXT_LINES = 40;

/**
 * Normal form of a text for storing and printing: composed characters (NFC), lines ended by `\n`,
 * no trailing spaces, no empty lines at either end and no hidden characters.
 * All outputs can then contain the same bytes.
 */
export const storedText = (text: string): string =>
  normalForm(withoutHidden(text), "NFC").replaceAll(/\r\n?/g, "\n").replaceAll("\t", " ")
    // matches spaces only from the first one: time would grow with the square of their number
    .replaceAll(/(?<![^\S\n])[^\S\n]+(?=\n|$)/g, "").replaceAll(/^\n+|(?<!\n)\n+$/g, "");

/** Number of characters and lines of a text, counted in the same way as for the limits. */
export const textSize = (text: string): { letters: number; lines: number } => ({
  letters: [...text].length,
  lines: text.split("\n").length,
});

/** Whether a text in normal form is within the limits. */
export const isWithinLimits = (text: string): boolean => {
  const { letters, lines } = textSize(text);
  return letters <= MAX_REPORT_TEXT && lines <= MAX_REPORT_TEXT_LINES;
};

const language = z.enum(LANGUAGES);
/** A text in the normal form of {@link storedText}. */
const text = z.pipe(
  z.string().check(
    z.maxLength(20_000),
    z.refine((value) => value.isWellFormed()),
    typedText,
  ),
  z.transform(storedText),
);

/** A signed text, in the form for printing and sending. */
export const signedText = z.object({
  text: z.string(),
  language,
  /** name of the signing physician; empty in an anonymised report */
  author: z.string(),
  signed_at: isoInstant,
  /** whether the results changed after the signature */
  is_outdated: z.boolean(),
});
export type SignedText = z.infer<typeof signedText>;

export const textState = z.enum(["draft", "signed", "withdrawn"]);

/** One version of a text: an edit, a signature or the withdrawal of a signature. */
export const textVersion = z.object({
  version: z.number(),
  state: textState,
  language,
  text: z.string(),
  author: z.string(),
  created_at: isoInstant,
});
export type TextVersion = z.infer<typeof textVersion>;

/**
 * Query of a report text. `language`: that of the suggested sentences.
 * Without a language no sentences are made, since they require reading all results.
 */
export const reportTextQuery = z.object({ language: z.optional(language) });

/** The physician's text of a study's report. */
export const reportTextAnswer = z.object({
  /** number of the newest version; 0: no version */
  version: z.number(),
  /** hash of the current results, which a signature must repeat */
  results: z.string(),
  /** suggested sentences, one per line; empty when no language was requested */
  suggestion: z.string(),
  /** conclusion of the software in that language; `null` when no language was requested */
  conclusion: z.nullable(conclusion),
  /** signed text for output; `null`: none, outputs print the suggestion */
  signed: z.nullable(signedText),
  /** all versions of the text, newest first */
  versions: z.array(textVersion),
});
export type ReportTextAnswer = z.infer<typeof reportTextAnswer>;

const basedOn = z.int().check(z.gte(0));

/**
 * Body of `PUT /patients/{pid}/report/text`: a draft. `based_on`: version that the author edited.
 */
export const reportTextPut = z.object({ based_on: basedOn, language, text });
export type ReportTextPut = z.input<typeof reportTextPut>;

/**
 * Body of `POST /patients/{pid}/report/text/signature`.
 * `results`: hash of the results that the author saw.
 */
export const signaturePost = z.object({
  ...reportTextPut.shape,
  results: z.string().check(z.maxLength(100)),
});
export type SignaturePost = z.input<typeof signaturePost>;

/** Body of `POST /patients/{pid}/report/text/withdrawal`. */
export const withdrawalPost = z.object({ based_on: basedOn, language });
export type WithdrawalPost = z.infer<typeof withdrawalPost>;
