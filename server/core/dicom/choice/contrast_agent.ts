import type { DataSet } from "dicom-parser";

/**
 * Pattern that matches a word without letters beside it; digits, spaces or underscores may follow.
 */
const word = (words: string) => `(?<!\\p{L})(?:${words})(?!\\p{L})`;

/** "post" that does not mean an injection: "post op", "post-processed", "post fossa", "post RT". */
const POST =
  "post(?![ _.-]*(?:op|surg|proc|recon|fossa|central|ictal|contour|rt|radio|chemo|treat|therap|trauma|stroke|filter))";

/**
 * Words for a contrast agent in series names, case-insensitive: English, German, French, Italian,
 * Spanish, Portuguese, Polish, Russian, Japanese, Korean.
 */
const ANY_CASE = new RegExp(
  [
    word(
      "gd|gad|gado\\p{L}*|gadavist|dotarem|clariscan|magnevist|prohance|multihance|contrast\\p{L}*|" +
        "omniscan|vueway|elucirem|t1w?ce|post(?:gad\\p{L}*|gd|[ck]ontrast\\p{L}*|km|inj\\p{L}*)|" +
        "kontraści\\p{L}*|контраст\\p{L}*|ку|" +
        `kontrast\\p{L}*|n?km|mkm|inj|inject(?:ed|ions?|ee?|ée?)|mdc|enhanced|${POST}`,
    ),
    // plus signs: "+C", "+ c", "C+", "+Gd"
    "\\+ ?c(?!\\p{L})",
    "(?<!\\p{L})c ?\\+",
    "造影|増強|增强|조영",
  ].join("|"),
  "iu",
);
/** Abbreviations of "contrast agent" that are ordinary words in lower case: case-sensitive. */
const CAPITALS = new RegExp(word("CE"), "u");

const AGENT =
  "(?:gd|gad\\p{L}*|[ck]ontrast\\p{L}*|контраст\\p{L}*|ку|km|c|ce|inj\\p{L}*|mdc|enhanced)";
const WITHOUT =
  "non?|without|w/?o|ohne|vor|sans|avant|sin|senza|prima|sem|bez|o|v|zonder|ut[ae]n|" +
  "uden|без|до";

/**
 * Statements in series names that no contrast agent was given:
 * "pre contrast", "ohne KM", "sans inj", "senza mdc", "조영 전", "造影前".
 */
const NONE = new RegExp(
  [
    word("pre|nativ\\p{L}*|unenhanced|[ov]km"),
    // "Gd(-)" and "KM-", but not "Gd-DTPA" and "KM - tra"
    word(AGENT) + "(?: ?\\(-\\)|-(?=\\s*$))",
    word("kontrasts[ıi]z"),
    word(WITHOUT) +
    `[ _.-]*(?:${word("dem|de|di|del|iv")}[ _.-]*)?${word(AGENT)}`,
    "비조영|조영 ?전|非造影|造影 ?前|単純|平扫|非增强|增强前",
  ].join("|"),
  "iu",
);

/** Whether a series name mentions a contrast agent ("T1 +C", "SAG T1 3D INJ", "T1 nKM"). */
export const namesContrastAgent = (name: string): boolean =>
  (ANY_CASE.test(name) || CAPITALS.test(name)) && !NONE.test(name);

/** Values of Contrast/Bolus Agent that scanners write although no agent was given. */
const NO_AGENT = /^(|no|none|n|0|nil|without|ohne|keine?|na|n\/a|-+)$/i;

/**
 * Whether the header states that a contrast agent was given, in Contrast/Bolus Agent or the
 * Contrast/Bolus Agent Sequence (PS3.3 C.7.6.4, C.7.6.4b).
 */
export const headerContrastAgent = (dataSet: DataSet, agent: string): boolean =>
  !NO_AGENT.test(agent) || (dataSet.elements.x00180012?.items?.length ?? 0) > 0;

/** Attributes of a file's header that concern a contrast agent. */
interface ContrastHeader {
  hasContrastAgent: boolean;
  seriesDescription: string;
}

/** Whether a contrast agent was given, according to the header or the series name. */
export const hasContrastAgent = (
  { hasContrastAgent, seriesDescription }: ContrastHeader,
): boolean => hasContrastAgent || namesContrastAgent(seriesDescription);
