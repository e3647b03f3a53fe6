// Searches a signed text for all that could identify a person. A text with a match is withheld as a
// whole, because a name that is cut out can often be inferred from the remaining text.
import { normalForm } from "@/model/normal_form.ts";
import { hasUnexplainedNumber } from "@/model/registry/measured_numbers.ts";
import {
  AGE_FORMS,
  DATE_FORMS,
  IDENTIFIER_FORMS,
  NAME_FORMS,
  PLACE_FORMS,
  TITLE,
} from "@/model/registry/text_forms.ts";

/** Reasons why a signed text is withheld. */
export type TextProblem = "name" | "identifier" | "date" | "age" | "number" | "address";

/** Names and identifiers that must not be in a text. */
export interface Identity {
  /** names of the patient, of physicians and of users, in any script; DICOM or plain form */
  names: readonly string[];
  /** patient IDs, accession numbers and UIDs */
  identifiers: readonly string[];
  /** names of institutions, of which only the whole name is searched for */
  phrases?: readonly string[];
}

/** Converts a decimal digit of any script to ASCII. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}

/** Normalises a text: without case, width, accents and invisible characters; digits are ASCII. */
export const plainText = (text: string): string =>
  normalForm(normalForm(text, "NFKD").replaceAll(/[\p{Mn}\p{Cf}]/gu, ""), "NFKC").toLowerCase()
    .replaceAll(/[^\P{Nd}0-9]/gu, asciiDigit);

/** Scripts in which spaces separate words, and words are not inflected by prefixes. */
const SPACED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]+$/u;
/**
 * Function words of two letters that are also names; they count only beside another part of the
 * name.
 */
const FUNCTION_WORDS = new Set(
  "ab ad ai al am an as at au be by da de do du el en et go he if im in is it la le lo ma me mr ms my no of oh on or se so su to um up us vs we"
    .split(" "),
);
/**
 * Maximum length of an ending that may follow a name, and minimum length of such a name.
 * Examples: Müllers, Парковым. Slavic and Greek endings also replace the last letter.
 */
const MAX_ENDING = 3, MIN_INFLECTED = 4;
/** Maximum number of neighbouring parts of a name that are also searched as one word. */
const MAX_JOINED = 4;

const wordsOf = (plain: string): string[] => plain.match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words, and neighbouring words joined: "min su" also gives "minsu". */
function joinedWords(words: readonly string[]): Set<string> {
  const all = new Set<string>();
  for (let from = 0; from < words.length; from++) {
    for (let count = 1; count <= MAX_JOINED && from + count <= words.length; count++) {
      all.add(words.slice(from, from + count).join(""));
    }
  }
  return all;
}

/** Texts by which a name is recognised. */
function termsOf(name: string): Set<string> {
  const terms = new Set<string>();
  for (const group of name.split("=")) {
    const words = wordsOf(plainText(group));
    const orders = [words, words.toReversed()];
    for (const order of orders) for (const term of joinedWords(order)) terms.add(term);
  }
  for (const term of terms) {
    if ([...term].length < 2 || FUNCTION_WORDS.has(term) || /^\d{1,2}$/.test(term)) {
      terms.delete(term);
    }
  }
  return terms;
}

/** A text in the normalised forms in which it is searched. */
interface Searched {
  words: readonly string[];
  joined: ReadonlySet<string>;
  /** only the letters and digits of the text */
  squeezed: string;
}

function hasTerm({ words, joined, squeezed }: Searched, term: string): boolean {
  // names in scripts such as Korean and Arabic adjoin other letters: searched inside words
  if (!SPACED.test(term)) return squeezed.includes(term);
  if (joined.has(term)) return true;
  const stem = /^\p{Script=Latin}+$/u.test(term) ? term : term.slice(0, -1);
  return stem.length >= MIN_INFLECTED &&
    words.some((word) => word.startsWith(stem) && word.length <= stem.length + MAX_ENDING);
}

/** Minimum length of an identifier found inside a word; shorter ones could be in any number. */
const MIN_INSIDE = 4;

/** Letters that are typed for the digits that look like them. */
const alike = (text: string) => text.replaceAll("o", "0").replaceAll(/[il]/g, "1");

function hasIdentifier({ joined, squeezed }: Searched, identifier: string): boolean {
  const letters = wordsOf(plainText(identifier)).join("");
  return letters.length >= MIN_INSIDE
    ? alike(squeezed).includes(alike(letters))
    : letters !== "" && joined.has(letters);
}

/** Abbreviations of images and figures, which are not taken for those of an institution. */
const FIELD_TERMS = new Set("mri flair icv wmh mta pet adc dwi swi mra csf tiv gca roi".split(" "));

/** Whether a text has the name of an institution, or its initials of three or more letters. */
function hasPhrase({ words, squeezed }: Searched, phrase: string): boolean {
  const parts = wordsOf(plainText(phrase)), letters = parts.join("");
  const initials = parts.map((part) => part[0]).join("");
  return letters.length >= MIN_INSIDE && squeezed.includes(letters) ||
    initials.length >= 3 && !FIELD_TERMS.has(initials) && words.includes(initials);
}

/** Months as full words and as abbreviations that mean nothing else, without accents. */
const MONTH = `(?:${
  [
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?",
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
    // German, Dutch
    "januar|janner|februar|feber|maerz|marz|mai|juni|juli|oktober|okt|dezember|dez",
    "januari|februari|maart|mrt|mei|augustus",
    // French
    "janvier|janv|fevrier|fevr|mars|avril|avr|juin|juillet|juil|aout|septembre|octobre",
    "novembre|decembre",
    // Spanish, Portuguese, Italian
    "enero|febrero|marzo|abril|abr|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre",
    "diciembre|dic|janeiro|fevereiro|fev|marco|maio|junho|julho|setembro|outubro|novembro",
    "dezembro|gennaio|febbraio|aprile|maggio|giugno|giu|luglio|lug|settembre|ottobre|ott|dicembre",
    // Polish, in both cases
    "stycznia|styczen|lutego|luty|marca|marzec|kwietnia|kwiecien|maja|maj|czerwca|czerwiec",
    "lipca|lipiec|sierpnia|sierpien|wrzesnia|wrzesien|pazdziernika|pazdziernik|listopada",
    "listopad|grudnia|grudzien",
  ].join("|")
})`;
/** Abbreviated months that are also words; they count only between numbers, as in "5 set 2024". */
const MONTH_OR_WORD = "(?:set|out|ago|gen|mag|ene|lut|kwi|cze|lip|sie|wrz|paz|lis|gru|sty)";
/** Start and end of a word, and characters that separate a day, month and year. */
const START = "(?<!\\p{L})", END = "(?!\\p{L})", GAP = "[\\s.,/-]*";
const DAY = "(?:0?[1-9]|[12]\\d|3[01])", MONTH_NUMBER = "(?:0?[1-9]|1[0-2])";
const DATES = [
  /(?:19|20)\d\d\s*[-./年년]\s*\d{1,2}(?!\d|\s*(?:ml|cc|mm|cm))/u,
  /(?<!\d)\d{1,2}\s*[-./]\s*\d{1,2}\s*[-./]\s*(?:\d\d){1,2}(?!\d)/u,
  /[\d一二三四五六七八九十]\s*[月월]|\d\s*[日일](?!\p{L})/u,
  /(?:令和|平成|昭和|大正|明治)\s*[\d元]/u,
  new RegExp(`${START}${MONTH}${END}${GAP}(?:(?:de|del|of)\\s+)?\\d`, "u"),
  new RegExp(
    `\\d(?:st|nd|rd|th|er|e|o|a)?${GAP}(?:(?:of|de|del|di)\\s+|d['’]\\s*)?${MONTH}${END}`,
    "u",
  ),
  new RegExp(`\\d${GAP}(?:de\\s+)?${MONTH_OR_WORD}${END}${GAP}(?:de\\s+)?\\d`, "u"),
  /(?<!\d)(?:19|20)\d{6}(?!\d)/,
  // day and month without a year: 5/1 in either order, 12.03., and "am 12.03"
  new RegExp(`(?<![\\d./])(?:${DAY}/${MONTH_NUMBER}|${MONTH_NUMBER}/${DAY})(?![\\d/])`),
  new RegExp(`(?<![\\d.,])${DAY}\\.\\s?${MONTH_NUMBER}\\.(?!\\d)`),
  new RegExp(
    `${START}(?:on|dated|since|am|vom|seit|zum|le|du|il|el|em|op|dnia)\\s+${DAY}[./]${MONTH_NUMBER}(?!\\d|\\s*(?:ml|mm|cm|%))`,
    "u",
  ),
];

/** Years of life above 89, which are identifying by themselves. */
const OLD = "(?<![\\d.,])(?:9\\d|1[0-2]\\d)",
  YEARS = "(?:years?|yrs?|y\\/?o|y|jahre?n?|ans|anni|anos?|jaar|lata?|roku|세|살|歳|才|岁|歲)";
/**
 * Patterns of ages: above 89 in any words, and every exact age, which is narrower than the file's
 * age group. Spans such as "in 2 years" are no ages.
 */
const AGES = [
  new RegExp(`${OLD}[\\s-]*${YEARS}${END}`, "u"),
  /(?<!\d)\d{1,3}[\s-]*(?:years?|yrs?)[\s-]*(?:old|of\s+age)(?!\p{L})/u,
  /(?<!\d)\d{1,3}\s*(?:y\/?\s?o|yo)(?!\p{L})/u,
  /(?<!\d)\d{1,3}[\s-]*(?:jahrig|jahre?\s+alt|jarige?|letni|세|살|歳|才(?!能)|岁|歲)/u,
  /(?<!\p{L})(?:aged?|alter|agee?\s+de|edad|eta|idade|leeftijd|wiek|나이|연령|年齢|年龄|年齡)(?:\s*[:=]?\s*|\s+(?:of|de|von|van|di|is)\s+)\d{1,3}(?!\d)/u,
  /(?<!\d)\d{1,3}\s*(?:anni\s+di\s+eta|anos\s+de\s+(?:edad|idade)|ans\s+d['’]age)/u,
  /(?<!\p{L})(?:[mf]|남자?|여자?)\s*\/\s*\d{1,3}(?!\d)/u,
  /(?<![\d/])\d{1,3}\s*\/\s*(?:[mf]|남자?|여자?)(?!\p{L})/u,
  /(?<!\p{L})(?:nonagenarian|centenarian|ninety[-\s](?:\p{L}+[-\s])?years?|(?:his|her|their)\s+(?:nineties|\d0s))/u,
  /아흔|구십\s*\p{L}{0,2}\s*세|[七八九]十\p{L}?[歳岁歲]/u,
];
/**
 * Patterns of identifiers: five digits in a row, or groups of digits as in a telephone number or
 * UID.
 */
const NUMBERS = [/\d{5}/, /\d{2}[- ]\d{3}/, /\d(?:\.\d+){2}\.\d/];
const ADDRESSES = [/@/, /:\/\//, /(?<![a-z])www\./];

/** A text with single blanks, in which patterns with optional blanks take linear time. */
const oneBlank = (text: string): string => text.replaceAll(/\s+/gu, " ");

/** The first part of a text that may identify a person; `null` if there is none. */
export function textProblem(text: string, { names, identifiers, phrases = [] }: Identity) {
  const plain = plainText(text), typed = wordsOf(plain);
  const words = typed.flatMap((word) => TITLE.test(word) ? [word, word.replace(TITLE, "")] : word);
  const searched: Searched = {
    words,
    joined: joinedWords(words).union(joinedWords(typed)),
    squeezed: typed.join(""),
  };
  const line = oneBlank(plain);
  const has = (patterns: readonly RegExp[]) => patterns.some((pattern) => pattern.test(line));
  const checks: readonly [TextProblem, () => boolean][] = [
    [
      "name",
      () => names.some((name) => [...termsOf(name)].some((term) => hasTerm(searched, term))),
    ],
    ["name", () =>
      phrases.some((phrase) => hasPhrase(searched, phrase)) ||
      PLACE_FORMS.some((pattern) => pattern.test(oneBlank(text)))],
    ["identifier", () => identifiers.some((identifier) => hasIdentifier(searched, identifier))],
    ["address", () => has(ADDRESSES)],
    ["number", () => has(NUMBERS)],
    ["age", () => has(AGES) || has(AGE_FORMS)],
    ["date", () => has(DATES) || has(DATE_FORMS)],
    ["identifier", () => has(IDENTIFIER_FORMS)],
    ["name", () => has(NAME_FORMS)],
    ["number", () => hasUnexplainedNumber(line)],
  ];
  return checks.find(([, isFound]) => isFound())?.[0] ?? null;
}
