// Numbers of radiology reports that identify no person: measurements with their unit, counts, ranks,
// grades and labels of images or anatomy. Every other number of two digits withholds a text, because
// no list of forms is complete for dates, ages, birth years, telephone numbers and addresses.

const NOT_YEAR = "(?!(?:19|20)\\d\\d(?![\\d.,]))";
const NUMBER = `${NOT_YEAR}\\d{1,4}(?:[.,]\\d{1,3})?`;
const BETWEEN = "\\s*(?:[-–~/,:±x×]|to|and|or|by|bis|und|et|와|과|및)\\s*";
const LIST = `${NUMBER}(?:${BETWEEN}${NUMBER}){0,6}`;
/** Start of a number or label; end of a unit, which a Korean particle may follow. */
const START = "(?<![\\p{L}\\d.,])", END = "(?![a-z\\d])";

const UNITS = [
  "ml|mm3?|cm3?|cc|ul|µl|μl|%|퍼센트|percent|t|tesla|ms|msec|sec|seconds?|min|minutes?|hz|mhz|hu|°|degrees?",
  "개|건|번째|위|백분위|분위|개월|주|일간|점|배|points?|fold|x|×|sd|standard deviations?",
  "months?(?!\\s*-?\\s*old)|weeks?(?!\\s*-?\\s*old)|days?(?!\\s*-?\\s*old)",
  "(?:years?|yrs?|jahre|ans|anni|anos)\\s+(?:ago|later|before|earlier|apart|of\\s+follow)",
  "directions?|channels?|echoes|sequences?|slices?|voxels?|images?|series|visits?|stud(?:y|ies)|scans?",
].join("|");
const COUNTED =
  "(?:(?:new|old|small|large|enhancing|cortical|white|matter|lacunar|periventricular|juxtacortical|infratentorial|deep|cerebral)\\s+){0,3}(?:lesions?|infarcts?|lacun\\p{L}+|micro(?:bleeds?|haemorrhages?|hemorrhages?)|foci|focus|regions?|structures?|metastas[ei]s|nodules?|plaques?|cases|patients|controls|vessels?|aneurysms?|hyperintensities|periventricular|juxtacortical|infratentorial|cortical|of\\s+them)";
const LABELS = [
  "grades?|stages?|scores?|scales?|fazekas|mta|gca|koedam|scheltens|erica|pvs|mmse|moca|nihss|aspects|ka[pr]ps",
  "index|indices|ratios?|quotient|angle|z(?:\\s+scores?)?|t\\s+scores?|sd|n|p|tr|te|ti|icv|areas?|ba|brodmann",
  "percentiles?|thickness|volumes?|widths?|mean|median|total|interval|asymmetry|table|figure|image|slice|지수|점수|등급|단계|백분위",
].join("|");

const of = (pattern: string) => new RegExp(pattern, "gu");

/** Numbers with their unit or label, in normalised text, in the order in which they are removed. */
const EXPLAINED: readonly RegExp[] = [
  // ranks
  of(
    `(?<!on\\s|on\\sthe\\s)${START}\\d{1,2}(?:st|nd|rd|th)(?:${BETWEEN}\\d{1,2}(?:st|nd|rd|th)?(?:\\s*[-–]\\s*\\d{1,2})?)?(?=\\s*(?:per|cent|dec|quart|[,.;)]|and|to|$))`,
  ),
  of(`${START}\\d{1,3}\\s+(?:of|out\\s+of)\\s+(?:the\\s+)?\\d{1,3}(?![\\d.,]\\d)`),
  of(`${START}(?:\\d{1,4}(?:[.,]\\d{1,3})?|${LIST})\\s*-?\\s*(?:${UNITS})${END}`),
  of(`${START}${LIST}\\s+(?:${COUNTED})${END}`),
  of(
    `${START}(?:${LABELS})\\s*(?:[:=(]|of|is|was|at|about|from)?\\s*[-−<>≤≥~±]*\\s*(?:\\d(?:\\s\\d){1,4}(?!\\d)|${LIST})`,
  ),
  // ranges of ranks in parentheses
  of(`\\(\\s*\\d{1,2}\\s*[-–]\\s*\\d{1,2}\\s*\\)`),
  // images, atlases, vertebrae, segments of vessels
  of(
    `(?<![\\p{L}\\d])(?:mni152|icbm152|dkt?40|dk68|aal90|b\\s?\\d{1,4}|[tlcsmapvf][1-9]\\d?)(?!\\d)`,
  ),
  // a fraction that is no month of a day
  of(`(?<![\\d.,])(?:0[.,]\\d{1,3}|\\d{1,4}\\.(?!(?:0?[1-9]|1[0-2])(?!\\d))\\d{1,3})(?![.,]?\\d)`),
];

/** Whether a normalised text has a number that no unit, count, grade or label explains. */
export function hasUnexplainedNumber(line: string): boolean {
  const rest = EXPLAINED.reduce((text, pattern) => text.replaceAll(pattern, " § "), line);
  return /\d{2}|\d(?:[\s.,/|_:-]+\d){2}/.test(rest);
}
