import type { DataSet } from "dicom-parser";
import { normalForm } from "@/model/normal_form.ts";

/**
 * Pattern that matches a word without letters beside it; digits, spaces or underscores may follow.
 */
const word = (words: string) => `(?<!\\p{L})(?:${words})(?!\\p{L})`;

/** Words after "pre" and "post" that name a treatment or a program, not an injection. */
const OTHER_EVENT =
  "op|surg|proc|recon|rt|radio|chemo|treat|therap|trauma|stroke|filter|biops|embol|dbs|gamma|" +
  "fu(?!\\p{L})|follow|tbi|covid|infect|infarct|transplant|shunt|resect|ect(?!\\p{L})|tx|natal|" +
  "mortem|partum|training|rehab|injur|concuss|seizure|vaccin|" +
  "\\d+ ?(?:months?|mos?|weeks?|wks?|days?|years?|yrs?)(?!\\p{L})";
const POST = `post(?![ _.-]*(?:${OTHER_EVENT}|fossa|central|ictal|contour))`;
const PRE = `pre(?![ _.-]*(?:${OTHER_EVENT}|scan|sat|central|frontal))`;

/**
 * Words for a contrast agent in series names, case-insensitive: English, German, French, Italian,
 * Spanish, Portuguese, Polish, Russian, Greek, Hebrew, Arabic, Japanese, Korean, Chinese.
 */
const ANY_CASE = new RegExp(
  [
    word(
      "gd|gad|gado\\p{L}*|gadavist|dotarem|clariscan|magnevist|prohance|multihance|contrast\\p{L}*|" +
        "gd(?:dtpa|dota|bopta|\\p{L}*do3a|eob\\p{L}*)|" +
        "omniscan|vueway|elucirem|artirem|dota|primovist|gbca|t1w?[_.-]?ce|t1w? ce(?= *$)|t1w?c|enh|" +
        "post(?:gad\\p{L}*|gd|con(?:tr?)?|[ck]ontrast\\p{L}*|km|inj\\p{L}*)|" +
        "kontraści\\p{L}*|контраст\\p{L}*|к[ув]|усилен\\p{L}*|civ|i\\.?v\\.? ?km|" +
        "σκιαγρα\\p{L}*|ניגוד|صبغة|الصبغة|تباين|التباين|" +
        `kontrast\\p{L}*|n?km|mkm|inj|inject(?:ed|ions?|ee?|ée?)?|mdc|enhanced|${POST}`,
    ),
    // Portuguese "pós" alone or before an agent, not "pos. 2" and "pós-operatório"
    word("p[oó]s(?=[ _.-]*(?:$|c(?!\\p{L})|gad|con(?:tr|(?!\\p{L}))|inj))"),
    // "c/c" (con contraste), "w/c", "W/ CON", "с/у" (с усилением)
    word("[cw] ?\\/ ?c|w ?\\/? ?con(?:tr?)?|с ?\\/ ?у"),
    // plus signs: "+C", "+ c", "C+", "+Gd", "ce+", "+CON", "IV+"
    "\\+ ?(?:ce?|con(?:tr?)?|iv|к)(?!\\p{L})",
    "(?<!\\p{L})(?:ce?|iv) ?\\+",
    "造影|増強|增强|조영|증강|ガド",
  ].join("|"),
  "iu",
);
/**
 * Abbreviations of "contrast agent" that are ordinary words in lower case: case-sensitive. Other
 * scripts may follow without a space ("CE後").
 */
const CAPITALS = /(?<!\p{Script=Latin})CE(?!\p{Script=Latin})/u;

const AGENT = word(
  "gd|gad\\p{L}*|[ck]ontrast\\p{L}*|контраст\\p{L}*|к[ув]|усилен\\p{L}*|km|c|ce|civ|inj\\p{L}*|" +
    "mdc|enhanced|σκιαγρα\\p{L}*|ניגוד|צבע|صبغة|تباين",
);
const LINK = word("dem|de|di|del|du|of|iv|agent|medium|חומר");
/** One or more names of an agent: "contrast (Gd)", "injection de gado". */
const AGENTS = `${AGENT}(?:[ _.()-]*(?:${LINK}[ _.()-]*)?${AGENT})*`;
const WITHOUT =
  "non?|without|w/?o(?:ut)?|zero|ohne|keine?|vor|before|sans|avant|sin|senza|prima|sem|bez|o|" +
  // "i.v. KM" is an injection, "v. KM" (vor KM) is none
  "(?<!i\\.? ?)v|zonder|ut[ae]n|uden|без|до|χωρίς|πριν|ללא|לפני|بدون|قبل";

/**
 * Statements in series names that no contrast agent was given, with the name of the agent:
 * "pre contrast", "ohne KM", "sans inj", "senza mdc", "조영 전", "造影前".
 */
const NONE = new RegExp(
  [
    `${word(`${PRE}(?:gad\\p{L}*|gd|con(?:tr?)?|[ck]ontrast\\p{L}*|km|inj\\p{L}*)?`)}` +
    `(?:[ _.-]*${AGENTS})?`,
    word("nativ\\p{L}*|unenhanced|[ov]km"),
    // "Gd(-)", "KM-" and "KM -", but not "Gd-DTPA" and "KM - tra"
    `${AGENT}(?: ?\\(-\\)|-(?= *(?:$|nativ))| -(?= *$)|[ _.:-]*(?:none|nil)(?!\\p{L}))`,
    word("kontrasts[ıi]z|[ck]ontrast[ _-]*fre[ei]\\p{L}*|kontrastfrei\\p{L}*"),
    // contrast of the image
    word(
      "(?:high|best|tissue|soft[ _-]tissue|gr[ae]y[ _/-]*white(?:[ _-]*matter)?|gm[ _/-]*wm)" +
        "[ _-]*contrast(?![ _-]*(?:enh|agent|med))|contrast[ _-]*(?:optimi[sz]ed|ratio)",
    ),
    // "s/c" (sin contraste), "б/у" (без усиления)
    word(`s ?\\/ ?(?:${AGENT})|б ?\\/ ?у`),
    `${word(WITHOUT)}[ _.-]*(?:${LINK}[ _.-]*)?${AGENTS}`,
    "비조영|조영(?: ?증강)? ?전|非造影|造影(?:剤)? ?(?:前|なし|無し)|単純|平扫|非增强|[增増][强強] ?前|" +
    "증강 ?전|CE ?前",
  ].join("|"),
  "giu",
);

/** Statements of images both with and without an agent: "avec et sans inj", "W/WO", "조영 전후". */
const WITH_AND_WITHOUT = new RegExp(
  [
    `${word("with|w|avec|mit|con|com|med|met|z|с")}[ _./&+-]*` +
    `(?:${word("and|et|und|y|e|og|en|i|и")}[ _./&+-]*)?` +
    word("without|w/?o|sans|ohne|sin|sem|senza|uden|utan|zonder|bez|без"),
    "(?:造影|[增増][强強]|조영(?: ?증강)?) ?[前전][ ・/,&+]*[後后후]",
  ].join("|"),
  "iu",
);

const namesAgent = (text: string): boolean => ANY_CASE.test(text) || CAPITALS.test(text);

/**
 * Whether a series name mentions a contrast agent ("T1 +C", "SAG T1 3D INJ", "T1 nKM"). A name that
 * states images both with and without one does ("T1 pre & post GD"). Letters of full width count as
 * ordinary ones.
 */
export function namesContrastAgent(name: string): boolean {
  const text = normalForm(name, "NFKC");
  if (!namesAgent(text)) return false;
  return WITH_AND_WITHOUT.test(text) || namesAgent(text.replace(NONE, " | "));
}

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
