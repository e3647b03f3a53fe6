import * as z from "zod/mini";
import { isoInstant } from "@/model/schema/studies/study.ts";
import { LANGUAGES } from "@/model/text.ts";

/** Limits of a physician's text, characters and lines: it fits on a page in either language. */
export const MAX_REPORT_TEXT = 3000, MAX_REPORT_TEXT_LINES = 40;

/**
 * A text as it is stored and printed: composed letters (NFC), lines ended by `\n`, no spaces behind
 * a line, no empty lines around the whole and no control characters, so that every output can have
 * the same bytes.
 */
export const storedText = (text: string): string =>
  text.normalize("NFC").replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n").replaceAll("\t", " ")
    // deno-lint-ignore no-control-regex -- control characters are removed
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufeff]/g, "")
    .replaceAll(/[^\S\n]+(?=\n|$)/g, "").replaceAll(/^\n+|\n+$/g, "");

/** Letters and lines as the limits count them. */
export const textSize = (text: string): { letters: number; lines: number } => ({
  letters: [...text].length,
  lines: text.split("\n").length,
});

/** Whether a stored text is within the limits. */
export const isWithinLimits = (text: string): boolean => {
  const { letters, lines } = textSize(text);
  return letters <= MAX_REPORT_TEXT && lines <= MAX_REPORT_TEXT_LINES;
};

const language = z.enum(LANGUAGES);
/** Stored as {@link storedText} makes it. */
const text = z.pipe(
  z.string().check(z.maxLength(20_000), z.refine((value) => value.isWellFormed())),
  z.transform(storedText),
);

/** A signed text as outputs print it. */
export const signedText = z.object({
  text: z.string(),
  language,
  /** empty in an anonymised report */
  author: z.string(),
  signed_at: isoInstant,
  /** the results changed after the signature */
  is_outdated: z.boolean(),
});
export type SignedText = z.infer<typeof signedText>;

export const textState = z.enum(["draft", "signed", "withdrawn"]);

/** One version: an edit, a signature or its withdrawal. */
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
 * Query of the text: language of the suggestion, which costs reading all figures; without one there
 * is none.
 */
export const reportTextQuery = z.object({ language: z.optional(language) });

/** The physician's text of a study's report. */
export const reportTextAnswer = z.object({
  /** number of the newest version; 0: none */
  version: z.number(),
  /** names the results as they are now; a signature repeats it */
  results: z.string(),
  /** the findings in sentences, one on each line; empty where no language was asked for */
  suggestion: z.string(),
  /** the text that outputs print; `null`: none, they print the suggestion */
  signed: z.nullable(signedText),
  /** newest first */
  versions: z.array(textVersion),
});
export type ReportTextAnswer = z.infer<typeof reportTextAnswer>;

const basedOn = z.int().check(z.gte(0));

/** Body of `PUT /patients/{pid}/report/text`: a draft. `based_on`: version that its author saw. */
export const reportTextPut = z.object({ based_on: basedOn, language, text });
export type ReportTextPut = z.input<typeof reportTextPut>;

/**
 * Body of `POST /patients/{pid}/report/text/signature`. `results`: of the answer that the author
 * read.
 */
export const signaturePost = z.object({
  ...reportTextPut.shape,
  results: z.string().check(z.maxLength(100)),
});
export type SignaturePost = z.input<typeof signaturePost>;

/** Body of `POST /patients/{pid}/report/text/withdrawal`. */
export const withdrawalPost = z.object({ based_on: basedOn, language });
export type WithdrawalPost = z.infer<typeof withdrawalPost>;
