// Compares a physician's text with the software's findings, to find those that it does not repeat.
// Free text cannot be understood reliably, so a sentence counts as repeated only word for word.
// Every other finding is printed beside the text, so that a contradiction is visible.
import { isOutside, segmentsOf, statementsOfFindings } from "@/model/findings/sentences.ts";
import type { MeasuredStudy } from "@/model/measured/measured_study.ts";
import { type OpinionKey, OPINIONS } from "@/model/report/opinions.ts";
import type { Certainty, Conclusion } from "@/model/schema/report/finding.ts";
import { type SignedText, storedText } from "@/model/schema/report/report_text.ts";
import type { Language } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";

/** Structures that each of the first three standard opinions is about. */
const OPINION_PARTS: Readonly<Partial<Record<OpinionKey, string>>> = {
  hippocampus: "Hippocampus",
  cortex: "cortex",
  ventricles: "Lateral ventricle",
};

/** Keys of the standard opinions that agree with a study's findings. */
export function agreeingOpinions(
  { state, findings }: Pick<Conclusion, "state" | "findings">,
  { t1, lesions, normReason }: Pick<MeasuredStudy, "t1" | "lesions" | "normReason">,
): OpinionKey[] {
  const outside = findings.filter(isOutside).filter(({ measure }) => measure === "volume");
  const parts = new Set(Object.values(OPINION_PARTS));
  const isMarked = (part: string | undefined) =>
    outside.some((finding) => finding.part === part && finding.certainty !== "possible");
  const isAnyMarked = [...parts].some(isMarked), isCompared = t1 !== null && normReason === null;
  const hasLesions = lesions !== null && !lesions.wmh_detail.is_low_confidence &&
    !lesions.wmh_detail.is_minimal;
  const agrees: Record<OpinionKey, boolean> = {
    usual: state === "usual",
    hippocampus: isMarked(OPINION_PARTS.hippocampus),
    cortex: isMarked(OPINION_PARTS.cortex),
    ventricles: isMarked(OPINION_PARTS.ventricles),
    wmh: hasLesions,
    no_wmh: lesions !== null && !lesions.wmh_detail.is_low_confidence &&
      lesions.wmh_detail.is_minimal,
    no_norms: t1 !== null ? normReason !== null : lesions?.wmh_detail.is_unreliable === true,
    uncertain: isCompared && (state === "not_determined" || state === "possible"),
    possible: isCompared && !isAnyMarked &&
      outside.some(({ part }) => parts.has(part)),
    other: isCompared && !isAnyMarked &&
      findings.some(({ kind, certainty }) => kind !== "lesions" && certainty !== "possible"),
    flair_alone: t1 === null,
  };
  return OPINIONS.map(({ key }) => key).filter((key) => agrees[key]);
}

/** Whether no finding contradicts a standard opinion; true for a text that is none. */
export function doesAgree(
  { opinion_id: opinionId }: { opinion_id: number },
  { agreeing }: Pick<Conclusion, "agreeing">,
): boolean {
  const opinion = OPINIONS.find(({ id }) => Object.values(id).includes(opinionId));
  return !opinion || agreeing.includes(opinion.key);
}

const CERTAINTIES: readonly Certainty[] = ["firm", "single", "possible"];

/** Words that show that a text is about a size, and not for example about a follow-up. */
const ABOUT_SIZE: Record<Language, RegExp> = {
  en: new RegExp(
    "hippocamp|amygdal|thalam|ventric|cort(ex|ical)|temporal|frontal|parietal|occipital|cingul|" +
      "insul|cerebell|white matter|atroph|volum|asymmetr|thin|low|small|reduc|large|dilat|normal|" +
      "expected",
    "i",
  ),
  ko:
    /해마|편도|시상|뇌실|피질|측두|전두|두정|후두|대상|섬엽|소뇌|백질|위축|부피|용적|비대칭|감소|확장|얇|정상/,
};

const inOneLine = (text: string): string => storedText(text).replaceAll(/\s+/g, " ");

/**
 * Sentences of the software to print beside a physician's text: firm and single findings that the
 * text does not repeat. If the text is about sizes, also findings that are only possible,
 * or the statement that there are none.
 * @returns indices into the conclusion's sentences, ascending; empty if the text repeats all.
 */
export function sentencesBeside(
  { text, language }: Pick<SignedText, "text" | "language">,
  conclusion: Conclusion,
): number[] {
  const { findings, sentences, stated, agreeing } = conclusion;
  // by sentence: the sentences with findings have the same order in each language
  const inTextLanguage = CERTAINTIES.flatMap((level) =>
    segmentsOf(findings, level).flatMap((segment) =>
      statementsOfFindings(segment.findings, language)
    )
  ).map((statement) => inOneLine(statement.text));
  const about = stated.flatMap((of, at) => of.length > 0 ? [at] : []);
  let own = inOneLine(text);
  const remove = (words: string): boolean => {
    const isThere = own.includes(words);
    own = own.replaceAll(words, " ");
    return isThere;
  };
  const missing = about.filter((_, n) => !remove(inTextLanguage[n]!));
  for (const sentence of sentences) remove(inOneLine(sentence));
  for (const { key, message } of OPINIONS) {
    if (agreeing.includes(key)) remove(inOneLine(message[language]));
  }
  const isAboutSize = ABOUT_SIZE.en.test(own) || ABOUT_SIZE.ko.test(own);
  const isMarked = (at: number) =>
    stated[at]!.some((index) => findings[index]!.certainty !== "possible");
  const hasMarked = about.some(isMarked);
  if (!hasMarked && !isAboutSize) return [];
  const printed = new Set(missing.filter((at) => isMarked(at) || isAboutSize));
  // prints that there are no findings, and why; not sentences that only explain findings
  if (!hasMarked) {
    for (const [at] of sentences.entries()) if (stated[at]!.length === 0) printed.add(at);
  }
  return withHeaders(printed, conclusion);
}

const { figures, figuresWithoutIcv, single, possible, uncompared } = conclusionText;
const isOneOf = (texts: readonly Record<Language, string>[], sentence: string): boolean =>
  texts.some((text) => Object.values(text).includes(sentence));

/** Whether a sentence only explains the brackets behind values. */
export const isExplanation = (sentence: string): boolean =>
  isOneOf([figures, figuresWithoutIcv], sentence);

/** Whether a sentence introduces the sentences after it. */
export const isHeader = (sentence: string): boolean =>
  isOneOf([single, possible, uncompared], sentence);

/** Adds sentences that introduce printed sentences, and removes those that introduce none. */
function withHeaders(printed: ReadonlySet<number>, { sentences }: Conclusion): number[] {
  let isFollowed = false;
  const kept: number[] = [];
  for (let at = sentences.length - 1; at >= 0; at--) {
    if (isHeader(sentences[at]!)) {
      if (isFollowed) kept.unshift(at);
      isFollowed = false;
    } else if (printed.has(at)) {
      kept.unshift(at);
      isFollowed = true;
    }
  }
  return kept;
}
