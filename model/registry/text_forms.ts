// Patterns of ages, dates, identifiers and names of people in normalised texts, in English and
// Korean words and in the abbreviations of physicians. Too many forms are matched, not too few.

const ONES = "one|two|three|four|five|six|seven|eight|nine";
const TENS = "twenty|thirty|forty|fourty|fifty|sixty|seventy|eighty|ninety";
const TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen";
const LARGE =
  `(?:(?:${TENS})(?:[\\s-]*(?:${ONES}))?|(?:a|one)?\\s*hundred(?:\\s+and)?(?:\\s+(?:${ONES}|${TEENS}))?)`;
/** A number from 1 to 119 in English words, or of one to three digits. */
const NUMBER = `(?:${LARGE}|${TEENS}|${ONES}|\\d{1,3})`;
/** Start and end of a word; end of a number that is no part of a measurement. */
const START = "(?<![\\p{L}\\d])", END = "(?!\\p{L})";
const UNIT =
  "(?:ml|mm|cm|cc|ul|µl|μl|%|퍼센트|percent|t|tesla|ms|sec|hz|°|개|건|lesions?|voxels?|slices?|regions?|st|nd|rd|th|번째|위|백분위|points?|cases|fold|x|×)";
const BARE = `(?!\\d|[.,]\\d|\\s*[-–~]\\s*\\d|\\s*${UNIT}(?!\\p{L}))`;
const PERSON =
  "(?:wom[ae]n|m[ae]n|lady|gentleman|male|female|boy|girl|gentlewoman|weiblich|mannlich|frau|homme|femme)";
const of = (pattern: string) => new RegExp(pattern, "u");

/** Native Korean numerals, which count years of age, and Sino-Korean ones. */
const KOREAN_TENS = "(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔)",
  KOREAN_ONES = "(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)",
  SINO = "[일이삼사오육칠팔구]";
const KOREAN_PERSON = "(?:남자|남성|남아|남|여자|여성|여아|여)";

export const AGE_FORMS: readonly RegExp[] = [
  of(`${START}${NUMBER}[\\s-]*(?:years?|yrs?)[\\s.-]*(?:old|of\\s+age|young)${END}`),
  of(`${START}${LARGE}[\\s-]*(?:years?|yrs?)${END}`),
  of(`\\d{1,3}[\\s-]*y\\.?\\s*\\/?\\s*o\\.?${END}`),
  of(`(?<![\\d.,])(?:[2-9]\\d|1[0-2]\\d)\\s*y(?![\\p{L}/])`),
  of(
    `${START}(?:aged?|ages)\\s*(?:[:=]|of|about|around|approximately|is|was|at|over|,)?\\s*${NUMBER}${END}`,
  ),
  of(`${START}(?:${TENS.replaceAll("y", "ies")}|teens)${END}`),
  of(`${START}(?:${TENS})(?:ish|[\\s-]*something)${END}`),
  of(`${START}(?:(?:zwan|vier|funf|sech|sieb|acht|neun)zig|dreissig)er[n]?${END}`),
  // the letter O typed for a zero
  of(`${START}\\d?(?:\\do|o\\d)[\\s-]*(?:years?|yrs?|y\\.?\\s*\\/?\\s*o)${END}`),
  of(`${START}(?:his|her|their|early|mid|middle|late)[\\s-]*[1-9]0['’]?s${END}`),
  of(`${START}(?:quadra|quinqua|sexa|septua|octo|nona|cente)genarian|${START}centenarian`),
  // sex before or after: "67F", "WF 67", "male, 67", "67 (f)", "woman of sixty-seven"
  of(`(?<![\\d.,/])(?:\\d{2,3}|${LARGE})[\\s,;/(-]*(?:[wbah]?[mf]|${PERSON})(?![\\p{L}\\d])`),
  of(`${START}[wbah]?[mf][\\s,;:/.(-]*\\d{2,3}${BARE}`),
  of(`${START}${PERSON}[\\s,;:/(-]*(?:of|aged?)?\\s*(?:\\d{2,3}${BARE}|${LARGE}${END})`),
  of(`${START}(?!e\\.?g|i\\.?e|c\\.?f)\\p{L}\\.\\s?\\p{L}\\.?,\\s*\\d{2,3}${BARE}`),
  of(
    `${START}(?:born|dob|yob|d\\.\\s?o\\.\\s?b|birth[\\s-]?(?:day|date|year)|(?:date|year)\\s+of\\s+birth|geboren|geb\\.|nacid[oa]|nascid[oa])(?!\\p{L})`,
  ),
  of(`${KOREAN_TENS}\\s*${KOREAN_ONES}?\\s*(?:살|세(?!\\p{L}))`),
  of(`(?<!\\p{L})${KOREAN_ONES}\\s*살`),
  /서른|마흔|예순|일흔|여든|아흔/u,
  of(`${SINO}?[십백]\\s*${SINO}?\\s*(?:세(?!\\p{L}{0,3}기)|살)`),
  of(
    `[1-9]0\\s*대(?=\\s|$|의|로|[초중후]반|${KOREAN_PERSON})|(?:${SINO}?십)\\s*대(?=\\s|$|의|[초중후]반)`,
  ),
  of(`(?<!\\p{L})만\\s*(?:\\d{1,3}${BARE}|${KOREAN_TENS})`),
  of(`(?<!\\p{L})${KOREAN_PERSON}\\s*[/,(·:-]*\\s*\\d{2,3}${BARE}`),
  of(`(?<![\\d.,])\\d{2,3}\\s*[/,(·-]*\\s*${KOREAN_PERSON}(?!\\p{L})`),
  /\d\s*년\s*(?:도\s*)?출?생|생년|출생|생일/u,
];

const YEAR = "(?:19|20)\\d\\d", MONTH_NUMBER = "(?:0?[1-9]|1[0-2])";
const SEASON =
  "(?:spring|summer|autumn|fall|winter|christmas|easter|fruhjahr|fruhling|sommer|herbst|봄|여름|가을|겨울)";
const ORDINAL =
  "(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth)";
export const DATE_FORMS: readonly RegExp[] = [
  of(
    `${ORDINAL}\\s+(?:day\\s+)?of\\s+(?:january|february|march|april|may|june|july|august|september|october|november|december)${END}`,
  ),
  of(`(?<![\\d./])${MONTH_NUMBER}\\s*[./-]\\s*${YEAR}${BARE}`),
  of(`(?<![\\d./])${MONTH_NUMBER}\\s*[./-]\\s*['’]\\d\\d(?!\\d)`),
  of(`${YEAR}\\s*[-./]?\\s*(?:w|kw|q)\\s*\\d`),
  of(`${START}(?:w|kw|wk|week|q|quarter)\\s*\\d{1,2}\\s*(?:of|in|[-,./])?\\s*${YEAR}`),
  of(`${YEAR}\\s*년|${YEAR}[^\\d]{0,6}[1-4]\\s*분기`),
  of(`${SEASON}\\s*(?:of|,)?\\s*${YEAR}|${YEAR}\\s*(?:년\\s*)?${SEASON}`),
  of(
    `${START}(?:in|since|from|until|till|during|year|before|after|by|circa|dated|prior|seit|en|im|anno)\\s+(?:the\\s+year\\s+)?${YEAR}${BARE}`,
  ),
];

const NUMBERED = "(?:number|num|nummer|no|nr|id|#|번호)", CODE = "[a-z]{0,4}[-_/]?\\w?\\d";
export const IDENTIFIER_FORMS: readonly RegExp[] = [
  of(
    `${START}(?:mrn|accession|ssn|nhs|pid|chart|(?:등록|차트|환자|병록|검사|접수|주민(?:등록)?)\\s*번호)\\s*${NUMBERED}?\\s*[.:#=]*\\s*(?:is\\s+)?${CODE}`,
  ),
  of(
    `${START}(?:acc|hospital|patient|case|record|file|study|exam|examination|order|folder|registration|reg|room|bed|unit|mr)\\s*${NUMBERED}[\\s.:#=]*${CODE}`,
  ),
  of(`${START}id\\s*[.:#=]*\\s*${CODE}`),
  of(`${START}(?:no|nr|n°)\\.\\s*\\d{3,}${BARE}|#\\s*\\d{3,}`),
  // a code of letters and digits that is no parameter, template, atlas or scanner
  of(
    `${START}(?!(?:tr|te|ti|b|ml|mm|mni|icbm|mr|umr|aal|dkt?|hcp|ge)[-_]?\\d)[a-z]{1,4}[-_]?[a-z]?\\d{3,}(?!\\d|[.,]\\d|\\s*(?:ml|mm|ms)(?!\\p{L}))`,
  ),
];

export const NAME_FORMS: readonly RegExp[] = [
  // relatives of a person, and people known by their office
  of(
    `${START}(?:wife|husband|spouse|widow|widower|son|daughter|mother|father|brother|sister|neighbou?r|colleague)\\s+of${END}`,
  ),
  of(
    `${START}(?:mayor|minister|president|ambassador|senator|bishop|celebrity|(?:famous|well-known)\\s+\\p{L}+)${END}`,
  ),
  of(`${START}(?:dr|prof|mrs)(?:\\.\\s*|\\s+)\\p{L}{2}`),
  /[가-힣]{2,4}\s?(?:교수|선생|원장|과장)|[가-힣]{2,20}(?:병원|의원|의료원)/u,
];

/** Institutions by their capital letters, in the original text. */
export const PLACE_FORMS: readonly RegExp[] = [
  /\b(?:seen|treated|admitted|imaged|scanned|performed|done|examined|transferred|referred|acquired|made)\s+(?:at|from|to|by)\s+(?:the\s+)?(?!(?:MRI?|FLAIR|DWI|SWI|CT|PET|ADC|T[12])(?![\p{L}]))\p{Lu}\p{L}{1,}(?!\d)/u,
  /(?<!\p{L})\p{Lu}\p{L}{1,30}(?:[’']s)? (?:University )?(?:Hospital|Clinic|Medical Cent)/u,
];

/** A title directly before a name, which some people type without a space. */
export const TITLE = /^(?:dr|prof|mrs|mr|ms|doctor|herr|frau)(?=\p{L}{2})/u;
